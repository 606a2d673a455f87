package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tokens grow, whatever becomes of the counter or of the clock: but not of both. */
@Timeout(240)
class TokenIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
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
    void noTokenGoesBackWhenAllDataIsLostHoweverLargeTheCohort() throws Exception {
        // Blocks of a thousand used to outrun the microsecond clock above a thousand tenures a second: after FLUSHALL,
        // with
        // the clock as the only memory, tokens went back by seconds.
        try (Holdfast holdfast =
                Holdfast.builder(Patient.backend(redis.url())).cohort(1000).build()) {
            long last = 0;
            for (int round = 0; round < 5; round++) {
                for (int i = 0; i < 600; i++) {
                    long token = token(holdfast);
                    assertThat(token).isGreaterThan(last);
                    last = token;
                }
                assertThat(Long.parseLong(redis.text("GET", FENCE))).isLessThanOrEqualTo(serverMicros());
                redis.call("FLUSHALL");
            }
        }
    }

    @Test
    void aBlockHasAtMostAsManyTokensAsMicrosecondsHavePassed() throws Exception {
        // The whole cohort is served from one tenure where there was time enough, and by several where there was not.
        try (Holdfast holdfast =
                Holdfast.builder(Patient.backend(redis.url())).cohort(1000).build()) {
            redis.call("SET", FENCE, Long.toString(serverMicros() - 1_000_000));
            Lease whole = holdfast.lock("a").acquire(PATIENCE);
            assertThat(tokensOf("a")).isEqualTo(1000);
            whole.close();
            redis.call("SET", FENCE, Long.toString(serverMicros() + 3_600_000_000L));
            Lease single = holdfast.lock("a").acquire(PATIENCE);
            assertThat(tokensOf("a")).isEqualTo(1);
            CompletableFuture<Lease> next = holdfast.lock("a").acquireAsync(PATIENCE);
            single.close();
            Lease after = next.get();
            assertThat(after.token().value()).isEqualTo(single.token().value() + 1);
            after.close();
        }
    }

    @Test
    void aPushedBlockIsCoveredToo() throws Exception {
        // The waiter's block is reserved by the script of the release; its size travels with the push.
        try (Holdfast holder = Patient.client(redis.url());
                Holdfast waiter = Holdfast.builder(Patient.backend(redis.url()))
                        .cohort(1000)
                        .build()) {
            Lease held = holder.lock("a").acquire(PATIENCE);
            CompletableFuture<Lease> first = waiter.lock("a").acquireAsync(PATIENCE);
            CompletableFuture<Lease> second = waiter.lock("a").acquireAsync(PATIENCE);
            await().atMost(PATIENCE)
                    .until(() -> holder.inspect("a").orElseThrow().waiters().size() == 1);
            long ahead = serverMicros() + 3_600_000_000L;
            redis.call("SET", FENCE, Long.toString(ahead));
            held.close();
            Lease pushed = first.get();
            assertThat(tokensOf("a")).isEqualTo(1);
            assertThat(pushed.token().value()).isEqualTo(ahead + 1);
            pushed.close();
            Lease next = second.get();
            assertThat(next.token().value()).isEqualTo(ahead + 2);
            next.close();
        }
    }

    /** The size of the block of whoever holds it. */
    private static int tokensOf(String name) {
        String value = redis.text("GET", Keys.standard().lock(name));
        return Integer.parseInt(value.split(" ", 4)[2]);
    }

    @Test
    void theServersClockCarriesTheOrderOverALostCounter() throws Exception {
        // The last token of a block is the server's time. Where the counter is not known the block has only this one.
        try (Holdfast holdfast = Patient.client(redis.url())) {
            long before = serverMicros();
            long first = token(holdfast);
            assertThat(first).isBetween(before, serverMicros());
            redis.call("DEL", FENCE);
            assertThat(token(holdfast)).isGreaterThan(first);
        }
    }

    @Test
    void theCounterCarriesTheOrderOverAClockThatIsBehind() throws Exception {
        // The counter is an hour ahead, as after the clock was set back: tokens are counted on, one by
        // one, and the clock gains on them.
        try (Holdfast holdfast = Patient.client(redis.url())) {
            long ahead = serverMicros() + 3_600_000_000L;
            redis.call("SET", FENCE, Long.toString(ahead));
            assertThat(token(holdfast)).isEqualTo(ahead + 1);
            assertThat(token(holdfast)).isEqualTo(ahead + 2);
            assertThat(redis.text("GET", FENCE)).isEqualTo(Long.toString(ahead + 2));
        }
    }

    @Test
    void tokensAreExactUpToTheEndOfTheirRange() throws Exception {
        // Above 10^14 Lua's own conversion would drop digits; the last token below 2^53 is given out.
        try (Holdfast holdfast = Patient.client(redis.url())) {
            redis.call("SET", FENCE, "9007199254740990");
            assertThat(token(holdfast)).isEqualTo(9007199254740991L);
            assertThat(redis.text("GET", FENCE)).isEqualTo("9007199254740991");
        }
    }
}
