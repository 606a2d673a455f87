package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.StagedFailover;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server that keeps a lock is killed in the middle of things, and its replica, which knows the lock, takes over. */
@Timeout(600)
abstract class FailoverScenarios {
    /** Longer than a failover takes, on any machine: sentinels that were held up themselves do nothing for thirty seconds. */
    private static final Duration LEASE = Duration.ofSeconds(150);

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    private Holdfast one;
    private Holdfast two;

    abstract String url();

    abstract StagedFailover control();

    /** Who keeps this name. */
    abstract RedisServer master(String name);

    private void open() {
        one = client();
        two = client();
    }

    private Holdfast client() {
        return Holdfast.builder(Patient.backend(url()))
                .lease(LEASE)
                .maxLease(LEASE)
                .build();
    }

    @AfterEach
    void close() {
        control().restore();
        if (one != null) {
            one.close();
        }
        if (two != null) {
            two.close();
        }
    }

    /** Whatever was acknowledged so far has reached the replica. */
    private void replicated(String name) {
        RedisServer master = master(name);
        String info = master.text("INFO", "replication");
        long written = number(info, "master_repl_offset:");
        RedisCluster.await("the replica has it", () -> {
            String now = master.text("INFO", "replication");
            return now.contains(",offset=") && number(now, ",offset=") >= written;
        });
    }

    private static long number(String info, String field) {
        String rest = info.substring(info.indexOf(field) + field.length());
        return Long.parseLong(rest.replaceAll("(?s)\\D.*", ""));
    }

    @Test
    void whoHoldsGoesOnHolding() throws Exception {
        open();
        Lease lease = one.lock("hold").acquire(PATIENCE);
        replicated("hold");
        control().failOver("hold");
        // Busy, as soon as it is connected to the new server.
        assertThat(Patient.tryAcquire(two, "hold")).isEmpty();
        assertThat(lease.isValid()).isTrue();
        long token = lease.token().value();
        lease.close();
        try (Lease next = two.lock("hold").acquire(PATIENCE)) {
            assertThat(next.token().value()).isGreaterThan(token);
        }
    }

    @Test
    void whoWaitsIsServedAfterwards() throws Exception {
        open();
        Lease lease = one.lock("wait").acquire(PATIENCE);
        CompletableFuture<Lease> waiting = two.lock("wait").acquireAsync(PATIENCE);
        awaitQueued("wait");
        replicated("wait");
        control().failOver("wait");
        assertThat(waiting).isNotDone();
        lease.close();
        long closed = System.nanoTime();
        try (Lease next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(lease.token());
        }
        // Handed over, and not found free at the end of the lease.
        assertThat(System.nanoTime() - closed).isLessThan(LEASE.toNanos() / 2);
    }

    @Test
    void whatIsReleasedWhileNobodyServesIsHandedOverAfterwards() throws Exception {
        // The hand-over is asked for when its server is dead already.
        open();
        Lease lease = one.lock("hand-over").acquire(PATIENCE);
        CompletableFuture<Lease> waiting = two.lock("hand-over").acquireAsync(PATIENCE);
        awaitQueued("hand-over");
        replicated("hand-over");
        control().kill("hand-over");
        // Not confirmed, of course. It is repeated in the background.
        lease.releaseAsync();
        control().takeOver("hand-over");
        long served = System.nanoTime();
        try (Lease next = waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(next.token()).isGreaterThan(lease.token());
        }
        assertThat(System.nanoTime() - served).isLessThan(LEASE.toNanos() / 2);
    }

    @Test
    void whatIsReleasedWhileNobodyServesIsFreeAfterwards() throws Exception {
        open();
        Lease lease = one.lock("release").acquire(PATIENCE);
        replicated("release");
        control().kill("release");
        // Not confirmed, of course. It is repeated in the background.
        lease.releaseAsync();
        control().takeOver("release");
        long served = System.nanoTime();
        try (Lease next = two.lock("release").acquire(PATIENCE)) {
            assertThat(next.token()).isGreaterThan(lease.token());
        }
        assertThat(System.nanoTime() - served).isLessThan(LEASE.toNanos() / 2);
    }

    private void awaitQueued(String name) {
        RedisCluster.await(
                "the waiter is queued",
                () -> one.inspect(name)
                        .map(state -> state.waiters().size() == 1)
                        .orElse(false));
    }
}
