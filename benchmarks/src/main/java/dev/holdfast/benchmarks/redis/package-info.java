/** {@code ./bench}: locks side by side, in one run on the same servers. Most of it is about Redis. */
@NullMarked
package dev.holdfast.benchmarks.redis;

import org.jspecify.annotations.NullMarked;
