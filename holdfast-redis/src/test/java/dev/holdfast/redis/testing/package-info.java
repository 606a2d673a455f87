/** Real Redis servers for tests, and ways to hurt them. Start with {@link dev.holdfast.redis.testing.RedisServer}. */
@NullMarked
package dev.holdfast.redis.testing;

import org.jspecify.annotations.NullMarked;
