package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens grow, whatever becomes of the counter or of the clock: but not of both. */
@Timeout(60)
class TokenIT {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String FENCE = Keys.standard().of("a")[2];

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static long serverMicros() {
        List<?> time = (List<?>) redis.call("TIME");
        return Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
    }

    private static long token(Holdfast holdfast) throws InterruptedException {
        try (Lease lease = holdfast.lock("a").acquire(PATIENCE)) {
            return lease.token().value();
        }
    }

    @Test
    void theServersClockCarriesTheOrderOverALostCounter() throws Exception {
        // The block ends at the server's time, and the first lease has its first token.
        try (Holdfast holdfast = Holdfast.over(RedisBackend.connect(redis.url()))) {
            long before = serverMicros();
            long first = token(holdfast);
            assertThat(first).isBetween(before - 15, serverMicros());
            redis.call("DEL", FENCE);
            assertThat(token(holdfast)).isGreaterThan(first);
        }
    }

    @Test
    void theCounterCarriesTheOrderOverAClockThatIsBehind() throws Exception {
        // The counter is an hour ahead, as after the clock was set back: tokens are counted on, block by block,
        // exactly.
        try (Holdfast holdfast = Holdfast.over(RedisBackend.connect(redis.url()))) {
            long ahead = serverMicros() + 3_600_000_000L;
            redis.call("SET", FENCE, Long.toString(ahead));
            assertThat(token(holdfast)).isEqualTo(ahead + 1);
            assertThat(token(holdfast)).isEqualTo(ahead + 17);
            assertThat(redis.text("GET", FENCE)).isEqualTo(Long.toString(ahead + 32));
        }
    }

    @Test
    void tokensAreExactUpToTheEndOfTheirRange() throws Exception {
        // Above 10^14 Lua's own conversion would drop digits; the last block below 2^53 is given out whole.
        try (Holdfast holdfast = Holdfast.over(RedisBackend.connect(redis.url()))) {
            redis.call("SET", FENCE, "9007199254740975");
            assertThat(token(holdfast)).isEqualTo(9007199254740976L);
            assertThat(redis.text("GET", FENCE)).isEqualTo("9007199254740991");
        }
    }
}
