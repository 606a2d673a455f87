/**
 * Holdfast as ShedLock's lock: {@link dev.holdfast.shedlock.HoldfastLockProvider} is all there is to use. What one job holds,
 * until when at most and at least, is in {@code JobLock}.
 */
@NullMarked
package dev.holdfast.shedlock;

import org.jspecify.annotations.NullMarked;
