package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Acquirable;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.SentinelFailover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Grants that wait for replicas, and what a failover forgets without that. */
@Timeout(500)
class ReplicaPolicyIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @RegisterExtension
    static final RedisSentinels sentinels = RedisSentinels.trio();

    private final SentinelFailover failover = new SentinelFailover(sentinels);
    private final List<Holdfast> opened = new ArrayList<>();

    private Holdfast plain() {
        return opened(Patient.client(sentinels.url()));
    }

    private Holdfast confirmed() {
        return opened(Patient.client(sentinels.url() + "?waitForReplicas=1&waitMillis=300"));
    }

    private Holdfast opened(Holdfast holdfast) {
        opened.add(holdfast);
        return holdfast;
    }

    @AfterEach
    void close() {
        failover.restore();
        opened.forEach(Holdfast::close);
    }

    @Test
    void withoutThePolicyAFailoverGivesTheLockToTwo() throws Exception {
        // The replica does not get the lock before its master dies. This is what documents say can happen, shown.
        Holdfast holder = plain();
        holder.lock("twice").acquire(PATIENCE).close();
        failover.holdBackReplication("twice");
        Lease first = holder.lock("twice").acquire(PATIENCE);
        assertThat(first.isValid()).isTrue();
        failover.failOver("twice");
        Lease second = plain().lock("twice").acquire(PATIENCE);
        // Held with a valid lease by the first while the second got it; only the tokens tell them apart.
        assertThat(second.token()).isGreaterThan(first.token());
    }

    @Test
    void withThePolicyTheGrantIsRefusedAndGivenBack() throws Exception {
        // The same, with the policy: nobody is granted what no replica has.
        Holdfast holder = confirmed();
        holder.lock("refused").acquire(PATIENCE).close();
        failover.holdBackReplication("refused");
        assertThatThrownBy(() -> holder.lock("refused").tryAcquire())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("only 0 of 1 replicas have confirmed the grant within 300 ms");
        try (Holdfast look = plain()) {
            await().atMost(PATIENCE).until(() -> look.inspect("refused").isEmpty());
        }
        failover.restore();
        holder.lock("refused").acquire(PATIENCE).close();
    }

    @Test
    void permitsAndSharesAreConfirmedToo() throws Exception {
        Holdfast holder = confirmed();
        for (Acquirable<?> each : List.of(
                holder.semaphore("more", 2), holder.readWriteLock("more").read())) {
            each.acquire(PATIENCE).close();
            failover.holdBackReplication("more");
            assertThatThrownBy(each::tryAcquire)
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("only 0 of 1 replicas have confirmed the grant within 300 ms");
            try (Holdfast look = plain()) {
                await().atMost(PATIENCE).until(() -> look.list("more", 10).isEmpty());
            }
            failover.restore();
            each.acquire(PATIENCE).close();
        }
    }

    @Test
    void aGrantThatIsHandedOverIsConfirmedToo() throws Exception {
        // The lock is free for the waiter only once a replica has it: it is pushed while the replica is cut off.
        Holdfast holder = plain();
        Holdfast waiting = confirmed();
        Lease lease = holder.lock("pushed").acquire(PATIENCE);
        CompletableFuture<Lease> served = waiting.lock("pushed").acquireAsync(PATIENCE);
        RedisCluster.await(
                "the waiter is queued",
                () -> holder.inspect("pushed")
                        .map(state -> state.waiters().size() == 1)
                        .orElse(false));
        failover.holdBackReplication("pushed");
        lease.close();
        assertThat(served).failsWithin(Duration.ofSeconds(1)).withThrowableOfType(TimeoutException.class);
        failover.restore();
        served.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).close();
    }

    @Test
    void manyGrantsShareOneWait() throws Exception {
        Holdfast holdfast = confirmed();
        RedisServer master = sentinels.master();
        master.resetCounts();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        // It finds all of them at once when it goes on, however slowly they are asked for.
        master.pause();
        try {
            for (int i = 0; i < 200; i++) {
                all.add(holdfast.lock("many-" + i).acquireAsync(PATIENCE).thenAccept(Lease::close));
            }
        } finally {
            master.resume();
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(master.calls("wait")).isBetween(1L, 150L);
    }

    @Test
    void theDiskOfAServerThatCannotSayIsRefusedOnConnecting() {
        assertThatThrownBy(() -> Patient.backend(sentinels.url() + "?waitForDisk=0"))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("needs 7.2 (WAITAOF)");
    }

    @Test
    void aPolicyThatWouldHoldUpOtherClaimsIsRefused() {
        assertThatThrownBy(() -> RedisBackend.builder(sentinels.url())
                        .waitForReplicas(1, Duration.ofSeconds(2))
                        .connect())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("half of the commandTimeout");
    }
}
