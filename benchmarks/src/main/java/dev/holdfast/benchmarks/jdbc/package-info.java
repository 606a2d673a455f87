/** Locks in a database, side by side. Start with {@link dev.holdfast.benchmarks.jdbc.JdbcComparison}. */
@NullMarked
package dev.holdfast.benchmarks.jdbc;

import org.jspecify.annotations.NullMarked;
