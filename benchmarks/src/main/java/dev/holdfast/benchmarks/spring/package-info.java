/**
 * Locks by annotation and transactions, side by side. {@link dev.holdfast.benchmarks.spring.UnlockBeforeCommit} counts the updates
 * that are lost when a lock is given back before the commit: with {@code RedissonLockAspect}, which is what tutorials show, and
 * with {@code @Locked}. {@link dev.holdfast.benchmarks.spring.LockedCost} measures what the annotation costs.
 */
@NullMarked
package dev.holdfast.benchmarks.spring;

import org.jspecify.annotations.NullMarked;
