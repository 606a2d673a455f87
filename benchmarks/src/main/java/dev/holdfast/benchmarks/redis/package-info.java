/** {@code ./bench}: locks in Redis side by side, one run, the same servers. */
@NullMarked
package dev.holdfast.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
