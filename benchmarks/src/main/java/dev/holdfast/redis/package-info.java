/** What the benchmarks need to see of the Redis backend from the inside. */
@NullMarked
package dev.holdfast.redis;

import org.jspecify.annotations.NullMarked;
