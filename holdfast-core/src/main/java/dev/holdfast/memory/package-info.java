/**
 * A store in the memory of this process, for programs that are one process and for tests. Start with {@link
 * dev.holdfast.memory.InMemoryBackend}: each is one client, and hands its steps to the store it shares with others ({@code
 * Memory}). {@link dev.holdfast.memory.InMemoryFence} guards a resource by token.
 */
@NullMarked
package dev.holdfast.memory;

import org.jspecify.annotations.NullMarked;
