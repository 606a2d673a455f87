package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.lettuce.LettuceClients;
import dev.holdfast.redis.lettuce.LettuceNode;
import dev.holdfast.redis.lettuce.ServerUrl;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Replies;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.spi.Owner;
import java.security.SecureRandom;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The server's clock was set back by an hour: keys expire by that clock, so each has an hour more to go than it was given.
 * The clock of a server cannot be set for a test; the remaining times that such a step leaves behind can.
 */
@Timeout(240)
class ClockSetBackIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final String AN_HOUR = "3600000";
    private static final String NAME = "a";
    private static final String LOCK = Keys.standard().lock(NAME);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static Holdfast client() {
        return Holdfast.builder(Patient.backend(redis.url())).lease(LEASE).build();
    }

    private static long remainingMillis() {
        return Long.parseLong(redis.text("PTTL", LOCK));
    }

    /** A lock of somebody who died before the step. */
    private static void plant(long sinceMicros, Duration lease, String remainingMillis) {
        String owner = Owner.random(new SecureRandom()).toString();
        String value =
                owner + " " + sinceMicros + " 1 " + sinceMicros + " " + lease.toMillis() + " x - 7 elsewhere died";
        redis.call("SET", LOCK, value, "PX", remainingMillis);
    }

    @Test
    void aDeadHoldersLockIsFreeOneLeaseAfterSomebodyAsks() throws Exception {
        // Nobody renews it. The waiter used to be told to come back in an hour.
        plant(1, LEASE, AN_HOUR);
        try (Holdfast holdfast = client()) {
            holdfast.lock(NAME).acquire(PATIENCE).close();
        }
    }

    @Test
    void aRenewalCutsWhatIsAboveTheLease() throws Exception {
        // "Never shorten" used to keep the hour for as long as the holder lived, and for an hour after it died.
        try (Holdfast holdfast = client()) {
            Duration time = LEASE.multipliedBy(3);
            Lease lease = holdfast.lock(NAME).withLease(time).acquire(PATIENCE);
            redis.call("PEXPIRE", LOCK, AN_HOUR);
            await().atMost(PATIENCE).until(() -> remainingMillis() <= time.toMillis());
            assertThat(lease.isValid()).isTrue();
            lease.close();
        }
    }

    @Test
    void aLookAfterAHandOverComesBackWithinTheWindow() throws Exception {
        // The lock was handed over an hour ago by its own time, which is in the future now: the look used to be put off
        // by an
        // hour.
        plant(4_000_000_000_000_000L, PATIENCE, AN_HOUR);
        LettuceNode node = LettuceClients.node(null, ServerUrl.parse(redis.url()), PATIENCE, Keys.standard());
        try {
            node.connect();
            String[] context = {new RequestContext(Duration.ofSeconds(1)).at(node.identity())};
            long again = Replies.number(
                    node.eval(Script.HANDOVER, Keys.standard().of(NAME), context)
                            .toCompletableFuture()
                            .get(),
                    1);
            assertThat(again).isBetween(1L, 1000L);
            assertThat(remainingMillis()).isBetween(1L, PATIENCE.toMillis());
        } finally {
            node.close();
        }
    }

    @Test
    void aRenewalToALongerLeaseIsNotTakenForAStep() throws Exception {
        // A client of ours always renews to the lease it claimed with; another one need not. What it was promised
        // stands.
        Duration lease = Duration.ofMinutes(1);
        plant(1, lease, Long.toString(lease.toMillis()));
        String beginning = redis.text("GET", LOCK).replaceAll("^(\\S+ \\S+ ).*$", "$1");
        LettuceNode node = LettuceClients.node(null, ServerUrl.parse(redis.url()), PATIENCE, Keys.standard());
        try (Holdfast other = client()) {
            node.connect();
            node.eval(Script.RENEW, new String[] {LOCK}, new String[] {beginning, AN_HOUR})
                    .toCompletableFuture()
                    .get();
            assertThat(other.lock(NAME).tryAcquire()).isEmpty();
            assertThat(remainingMillis()).isGreaterThan(lease.toMillis());
        } finally {
            node.close();
        }
    }
}
