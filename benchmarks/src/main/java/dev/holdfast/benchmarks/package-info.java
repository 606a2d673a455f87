/**
 * What core costs, in memory; each program prints its own figures. Start with {@link dev.holdfast.benchmarks.CoreComparison}: it
 * compares {@code AcquireAndClose} with a {@code Baseline}; {@link dev.holdfast.benchmarks.CpuComparison} does so by CPU time.
 * {@link dev.holdfast.benchmarks.HeldLeases} holds many leases over a {@code CountingBackend}. {@code Contender} is for the
 * packages beside this one: {@code sidebyside} ({@code ./bench}), {@code jdbc}, {@code zookeeper} and {@code spring}.
 */
@NullMarked
package dev.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
