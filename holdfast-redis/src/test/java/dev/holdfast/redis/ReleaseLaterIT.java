package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A lock that is kept after it was closed, as it stands at a real server. */
@Timeout(240)
class ReleaseLaterIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final String NAME = "kept";
    private static final String LOCK = Keys.standard().lock(NAME);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static Holdfast client(Duration lease) {
        return Holdfast.builder(Patient.backend(redis.url())).lease(lease).build();
    }

    private static long remainingMillis() {
        return (Long) redis.call("PTTL", LOCK);
    }

    @Test
    void aTimeAboveTheLeaseIsNotTakenForAClockThatWasSetBack() throws Exception {
        try (Holdfast holder = client(LEASE);
                Holdfast rival = client(LEASE)) {
            holder.lock(NAME).heldAtLeast(Duration.ofHours(1)).acquire(PATIENCE).close();
            // Whoever asks cuts what is above the lease in the value.
            assertThat(rival.lock(NAME).tryAcquire()).isEmpty();
            assertThat(remainingMillis()).isGreaterThan(Duration.ofMinutes(50).toMillis());
            assertThat(rival.inspect(NAME).orElseThrow().remaining()).isGreaterThan(Duration.ofMinutes(50));
        }
        // Its client has gone.
        assertThat(remainingMillis()).isGreaterThan(Duration.ofMinutes(50).toMillis());
    }

    @Test
    void whoWaitedComesByItselfIfTheClientThatReleasedIsGone() throws Exception {
        // It was told of a lease of a minute. Nobody is left to serve the queue when the three seconds are over.
        try (Holdfast other = client(LEASE)) {
            CompletableFuture<Lease> waiting;
            try (Holdfast holder = client(Duration.ofMinutes(1))) {
                Lease lease =
                        holder.lock(NAME).heldAtLeast(Duration.ofSeconds(3)).acquire(PATIENCE);
                waiting = other.lock(NAME).acquireAsync(PATIENCE);
                await().atMost(PATIENCE)
                        .until(() -> other.inspect(NAME).orElseThrow().waiters().size() == 1);
                lease.close();
            }
            waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
        }
    }
}
