/**
 * What authors of backends import. Start with {@link dev.holdfast.spi.LockBackend}; the conformance kit ({@code
 * holdfast-tck}) says when it is right.
 */
@NullMarked
package dev.holdfast.spi;

import org.jspecify.annotations.NullMarked;
