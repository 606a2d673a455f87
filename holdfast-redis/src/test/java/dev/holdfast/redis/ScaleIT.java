package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many locks at once. */
@Timeout(300)
class ScaleIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    private static List<CompletableFuture<Lease>> ask(Holdfast holdfast, String prefix, int from, int to) {
        List<CompletableFuture<Lease>> asked = new ArrayList<>();
        for (int i = from; i < to; i++) {
            asked.add(holdfast.lock(prefix + i).acquireAsync(PATIENCE));
        }
        return asked;
    }

    private static List<Lease> all(List<CompletableFuture<Lease>> asked) throws Exception {
        List<Lease> leases = new ArrayList<>();
        for (CompletableFuture<Lease> each : asked) {
            leases.add(each.get());
        }
        return leases;
    }

    private static void release(List<Lease> leases) throws Exception {
        List<CompletableFuture<Void>> releases = new ArrayList<>();
        for (Lease lease : leases) {
            releases.add(lease.releaseAsync());
        }
        for (CompletableFuture<Void> each : releases) {
            each.get();
        }
    }

    private static long connections() {
        return redis.text("CLIENT", "LIST").lines().count();
    }

    @Test
    void aThousandContendedNamesNeedTwoConnections() throws Exception {
        // One client holds a thousand locks, another waits for all of them, and gets all of them.
        // Those of the test before this one may not be gone yet. This question is one itself.
        awaitConnections(1);
        try (Holdfast holder = Patient.client(redis.url());
                Holdfast waiter = Patient.client(redis.url())) {
            List<Lease> held = all(ask(holder, "n-", 0, 1000));
            List<CompletableFuture<Lease>> waiting = ask(waiter, "n-", 0, 1000);
            await().atMost(PATIENCE).until(() -> queues() == 1000);
            awaitConnections(5);
            release(held);
            release(all(waiting));
            awaitConnections(5);
        }
    }

    private static void awaitConnections(long count) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(connections()).isEqualTo(count));
    }

    private static long queues() {
        return ((List<?>) redis.call("KEYS", "holdfast:2:*:queue:*")).size();
    }

    @Test
    void fiftyThousandNamesLeaveNoKeyOfTheirOwnBehind() throws Exception {
        try (Holdfast holdfast = Patient.client(redis.url())) {
            for (int from = 0; from < 50_000; from += 2_500) {
                release(all(ask(holdfast, "name-", from, from + 2_500)));
            }
        }
        List<?> left = (List<?>) redis.call("KEYS", "*");
        assertThat(left).hasSizeLessThanOrEqualTo(1100).allMatch(key -> ((String) key).endsWith("}:fence"));
    }

    @Test
    void tenThousandLeasesAreRenewedInFewRequestsAndInTime() throws Exception {
        // Held until every lease was renewed twice: by then none is lost.
        Duration lease = Duration.ofSeconds(9);
        Duration period = lease.dividedBy(3);
        try (Holdfast holdfast =
                Holdfast.builder(Patient.backend(redis.url())).lease(lease).build()) {
            List<Lease> leases = new ArrayList<>();
            for (int from = 0; from < 10_000; from += 2_500) {
                leases.addAll(all(ask(holdfast, "held-", from, from + 2_500)));
            }
            redis.resetCounts();
            await().atMost(PATIENCE).until(() -> redis.calls("pexpire") >= 20_000);
            assertThat(redis.calls("pexpire") / redis.calls("evalsha"))
                    .as("leases renewed by one request")
                    .isBetween(50L, 500L);
            assertThat(leases).allMatch(Lease::isValid);
            // None is left to its last third, unless the machine has fallen behind; and then it catches up.
            await().atMost(PATIENCE)
                    .until(() ->
                            leases.stream().allMatch(each -> each.remaining().compareTo(period) > 0));
            assertThat(leases).allMatch(Lease::isValid);
            release(leases);
        }
    }
}
