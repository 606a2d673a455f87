/**
 * What can happen while a command waits for a store, for a lock or for another process. All of it arrives in one queue of {@link
 * dev.holdfast.cli.events.Event}s, which one thread reads. {@code Signals} puts the signals there.
 */
@NullMarked
package dev.holdfast.cli.events;

import org.jspecify.annotations.NullMarked;
