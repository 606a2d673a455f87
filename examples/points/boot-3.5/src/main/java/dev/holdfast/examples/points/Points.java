package dev.holdfast.examples.points;

import dev.holdfast.spring.Locked;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

/** Reads a number and writes the next one: right only if nobody else adds meanwhile. */
@Service
class Points {
    private final StringRedisTemplate redis;

    Points(StringRedisTemplate redis) {
        this.redis = redis;
    }

    /** Adds one, and returns the sum. */
    @Locked(name = "points", key = "#customer", maxWait = "60s")
    public long add(long customer) {
        String key = "points-of-" + customer;
        String before = redis.opsForValue().get(key);
        long after = (before == null ? 0 : Long.parseLong(before)) + 1;
        redis.opsForValue().set(key, Long.toString(after));
        return after;
    }
}
