/** What a failover costs, beside Redisson's. Start with {@link dev.holdfast.benchmarks.failover.FailoverComparison}. */
@NullMarked
package dev.holdfast.benchmarks.failover;

import org.jspecify.annotations.NullMarked;
