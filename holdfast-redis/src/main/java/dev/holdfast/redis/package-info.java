/** Locks in Redis. Start with {@link dev.holdfast.redis.RedisBackend}. */
@NullMarked
package dev.holdfast.redis;

import org.jspecify.annotations.NullMarked;
