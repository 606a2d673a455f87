/** What it costs: each program prints its own figures. Start with {@link dev.holdfast.benchmarks.CoreComparison}. */
@NullMarked
package dev.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
