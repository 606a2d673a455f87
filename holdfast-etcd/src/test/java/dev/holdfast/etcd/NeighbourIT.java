package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.Loss;
import dev.holdfast.tck.Renewed;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Somebody else at the servers: revokes, compacts, restarts, puts keys among ours, removes ours. */
@OnEtcd
@Timeout(300)
class NeighbourIT {
    @RegisterExtension
    static final Servers server = Servers.one();

    /** For tests that wait for a renewal, which comes after a third of it. */
    private static final Duration LEASE = Duration.ofSeconds(12);

    /** For locks that must not end while a server starts, however slow the machine is. */
    private static final Duration LONG = Duration.ofSeconds(30);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Deque<Holdfast> opened = new ArrayDeque<>();

    @AfterEach
    void close() {
        opened.forEach(Holdfast::close);
    }

    @Test
    void whoseLeaseIsRevokedIsToldWithTheNextBeat() throws Exception {
        // All locks of the process go together, which is the price of one lease for all of them.
        Holdfast holdfast = open();
        List<CompletableFuture<Loss>> told = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            CompletableFuture<Loss> each = new CompletableFuture<>();
            holdfast.lock("revoked " + i).acquire().onLost(each::complete);
            told.add(each);
        }
        for (String lease :
                server.etcdctl("lease", "list").output().lines().skip(1).toList()) {
            // One that a test before this has left may end by itself just now.
            Servers.Ran revoked = server.run("lease", "revoke", lease);
            assertThat(revoked.output()).matches("(?s).*(revoked|lease not found).*");
        }
        for (CompletableFuture<Loss> each : told) {
            Loss loss = get(each);
            assertThat(loss.kind()).isEqualTo(Loss.Kind.LOST);
        }
        // A new lease, without being asked for.
        holdfast.lock("revoked 0").acquire(PATIENCE).close();
    }

    @Test
    void keysOfAnotherVersionAreToldOfAndTouchNothing() throws Exception {
        Holdfast holdfast = open();
        holdfast.lock("versions").acquire().close();
        assertThat(holdfast.diagnose()).extracting(Finding::code).doesNotContain("etcd.other-version");
        List<String> others = List.of("holdfast/1/locks/versions\tx", "holdfast/30/clients/7", "holdfast/elsewhere/1");
        for (String key : others) {
            server.etcdctl("put", key, "x");
        }
        assertThat(holdfast.diagnose())
                .filteredOn(Finding::code, "etcd.other-version")
                .extracting(Finding::what)
                .satisfiesExactlyInAnyOrder(
                        what -> assertThat(what).contains("version 1 "),
                        what -> assertThat(what).contains("version 30 "));
        holdfast.lock("versions").acquire(PATIENCE).close();
        for (String key : others) {
            server.etcdctl("del", key);
        }
    }

    @Test
    void compactionUnderAWatchWakesNobodyAndLosesNothing() throws Exception {
        Holdfast holder = open();
        Lease held = holder.lock("compacted").withLease(LONG).acquire();
        CompletableFuture<Lease> rival = waiting("compacted", open());
        String revision = server.etcdctl("put", "elsewhere", "x", "--write-out=fields")
                .output()
                .lines()
                .filter(line -> line.startsWith("\"Revision\""))
                .map(line -> line.replaceAll("\\D", ""))
                .findFirst()
                .orElseThrow();
        server.etcdctl("compact", revision);
        CompletableFuture<Lease> second = waiting("compacted", open());
        assertThat(rival).isNotDone();
        held.close();
        get(rival).close();
        get(second).close();
    }

    @Test
    void aServerThatIsRestartedWithItsDataKeepsTheLocks() throws Exception {
        Holdfast holder = open();
        Lease held = holder.lock("restarted").withLease(LONG).acquire();
        CompletableFuture<Loss> told = new CompletableFuture<>();
        held.onLost(told::complete);
        CompletableFuture<Lease> rival = waiting("restarted", open());
        server.kill(0);
        server.start(0);
        server.awaitHealthy();
        Renewed renewed = Renewed.since(held);
        await("renewed").atMost(PATIENCE).until(() -> told.isDone() || renewed.call());
        assertThat(told).isNotDone();
        assertThat(rival).isNotDone();
        held.close();
        get(rival).close();
    }

    @Test
    void keysOfOthersBelowANameHoldNothing() throws Exception {
        // In front of every claim there will be, and one behind: neither is mistaken for one.
        server.etcdctl("put", "holdfast/2/locks/foreign\tnot-an-owner", "x");
        server.etcdctl("put", "holdfast/2/locks/foreign\tAAAAAAAAAAAAAAAAAAAAAA\tAAAAAAAAAAAAAAAAAAAAAA", "x");
        Holdfast holdfast = open();
        Lease once = holdfast.lock("foreign").tryAcquire().orElseThrow();
        assertThat(open().lock("foreign").tryAcquire()).isEmpty();
        CompletableFuture<Lease> rival = waiting("foreign", open());
        await("renewed").atMost(PATIENCE).until(Renewed.since(once));
        once.close();
        Lease next = get(rival);
        assertThat(holdfast.list("foreign", 10)).extracting(LockState::name).containsExactly("foreign");
        next.close();
        assertThat(holdfast.inspect("foreign")).isEmpty();
        assertThat(server.etcdctl("get", "--prefix", "holdfast/2/locks/foreign", "--keys-only")
                        .output()
                        .lines()
                        .filter(line -> !line.isBlank()))
                .hasSize(2);
    }

    @Test
    void keysOfOthersBelowASemaphoreOrAReadWriteLockHoldNothing() throws Exception {
        // Neither a slot nor a claim, neither a writer nor a reader.
        String semaphore = "holdfast/2/locks/" + LockKey.semaphore("foreign").encoded();
        String readWriteLock =
                "holdfast/2/locks/" + LockKey.readWriteLock("foreign").encoded();
        List<String> foreign = List.of(
                semaphore + "\tnot-an-owner",
                semaphore + "\n0",
                semaphore + "\n1000",
                readWriteLock + "\tnot-an-owner",
                readWriteLock + "\n0000");
        for (String key : foreign) {
            server.etcdctl("put", key, "x");
        }
        Holdfast holdfast = open();
        Lease slot = holdfast.semaphore("foreign", 1).tryAcquire().orElseThrow();
        Holdfast other = open();
        assertThat(other.semaphore("foreign", 1).tryAcquire()).isEmpty();
        Lease reader = holdfast.readWriteLock("foreign").read().tryAcquire().orElseThrow();
        assertThat(other.readWriteLock("foreign").write().tryAcquire()).isEmpty();
        Lease beside = other.readWriteLock("foreign").read().acquire(PATIENCE);
        await("renewed").atMost(PATIENCE).until(Renewed.since(slot));
        await("renewed").atMost(PATIENCE).until(Renewed.since(reader));
        reader.close();
        beside.close();
        slot.close();
        Lease writer = other.readWriteLock("foreign").write().acquire(PATIENCE);
        await("renewed").atMost(PATIENCE).until(Renewed.since(writer));
        assertThat(holdfast.list("foreign", 10)).hasSize(1);
        writer.close();
        for (String key : foreign) {
            assertThat(server.etcdctl("del", key).output()).isEqualTo("1");
        }
    }

    @Test
    void aClaimThatIsPutInFrontTakesTheLockWithTheNextRenewal() throws Exception {
        // Only somebody with the permission to write can do that, by removing the key and putting it back behind
        // another.
        Holdfast holdfast = open();
        Lease held = holdfast.lock("replaced").acquire();
        CompletableFuture<Loss> told = new CompletableFuture<>();
        held.onLost(told::complete);
        String key = key("replaced");
        server.etcdctl("del", key);
        server.etcdctl("put", key, "x");
        Loss loss = get(told);
        assertThat(loss.kind()).isEqualTo(Loss.Kind.LOST);
        server.etcdctl("del", key);
    }

    @Test
    void aKeyThatIsRemovedAndPutBackOnTheSameLeaseIsNotTheOldOne() throws Exception {
        // All is as before but the revision that created it: in between somebody else may have held the lock.
        Holdfast holdfast = open();
        Lease held = holdfast.lock("put back").acquire();
        CompletableFuture<Loss> told = new CompletableFuture<>();
        held.onLost(told::complete);
        String key = key("put back");
        String lease = server.etcdctl("get", key, "--write-out=fields")
                .output()
                .lines()
                .filter(line -> line.startsWith("\"Lease\""))
                .map(line -> Long.toHexString(Long.parseLong(line.replaceAll("\\D", ""))))
                .findFirst()
                .orElseThrow();
        server.etcdctl("del", key);
        server.etcdctl("put", "--lease=" + lease, key, "x");
        assertThat(get(told).kind()).isEqualTo(Loss.Kind.LOST);
        server.etcdctl("del", key);
    }

    @Test
    void aWrittenOverClaimIsLostOnceItHangsOnNoLease() throws Exception {
        // It keeps its place, and would never end by itself: renewal sees that it is not on our lease any more.
        Holdfast holdfast = open();
        Lease held = holdfast.lock("detached").acquire();
        CompletableFuture<Loss> told = new CompletableFuture<>();
        held.onLost(told::complete);
        server.etcdctl("put", key("detached"), "x");
        assertThat(get(told).kind()).isEqualTo(Loss.Kind.LOST);
        await("removed by who had it")
                .atMost(PATIENCE)
                .until(() -> holdfast.inspect("detached").isEmpty());
    }

    private String key(String name) {
        return server.etcdctl("get", "--prefix", "holdfast/2/locks/" + name + "\t", "--keys-only")
                .output()
                .lines()
                .findFirst()
                .orElseThrow();
    }

    private Holdfast open() {
        EtcdBackend backend =
                EtcdBackend.builder(server.url()).requestTimeout(PATIENCE).connect();
        Holdfast holdfast = Holdfast.builder(backend)
                .lease(LEASE)
                .unavailableAfter(PATIENCE)
                .closeGrace(Duration.ZERO)
                .build();
        opened.add(holdfast);
        return holdfast;
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    private static CompletableFuture<Lease> waiting(String name, Holdfast holdfast) throws InterruptedException {
        int before = holdfast.inspect(name).orElseThrow().waiters().size();
        CompletableFuture<Lease> waiting = holdfast.lock(name).acquireAsync(Duration.ofMinutes(4));
        await("it waits")
                .atMost(PATIENCE)
                .until(() -> holdfast.inspect(name).orElseThrow().waiters().size() == before + 1);
        return waiting;
    }
}
