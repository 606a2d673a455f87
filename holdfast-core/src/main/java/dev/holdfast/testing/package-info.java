/**
 * For tests of code that uses locks. Start with {@link dev.holdfast.testing.ManualTime}, a clock that stands still
 * until told; {@link dev.holdfast.testing.LockControls} makes the in-memory backend misbehave.
 */
@NullMarked
package dev.holdfast.testing;

import org.jspecify.annotations.NullMarked;
