package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Finding;
import dev.holdfast.Holder;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.tck.Renewed;
import dev.holdfast.tck.ServerPorts;
import dev.holdfast.testing.ManualTime;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Servers with users. The role is the one in docs/etcd.md: what locks need, and nothing else. */
@OnEtcd
@Timeout(300)
class LoginIT {
    /** Tokens of a second, so that they expire while a test runs. */
    @RegisterExtension
    static final Servers server = Servers.one("--auth-token-ttl=1");

    private static final String PASSWORD = "t0p-s3cret";

    @BeforeAll
    static void addUsers() {
        server.etcdctl("role", "add", "locks");
        server.etcdctl("role", "grant-permission", "locks", "readwrite", "--prefix=true", "shop/");
        server.etcdctl("user", "add", "shop:" + PASSWORD);
        server.etcdctl("user", "grant-role", "shop", "locks");
        server.etcdctl("user", "add", "nobody:" + PASSWORD);
        server.etcdctl("user", "add", "root:" + PASSWORD);
        server.etcdctl("user", "grant-role", "root", "root");
        server.etcdctl("auth", "enable");
    }

    private static String url(String user, String namespace) {
        return server.url().replace("://", "://" + user + "@") + "/" + namespace;
    }

    @Test
    void theRoleIsEnoughForEverythingAndTokensAreRenewed() throws Exception {
        try (Holdfast holdfast = open(url("shop:" + PASSWORD, "shop"));
                Holdfast other = open(url("shop:" + PASSWORD, "shop"))) {
            Lease lease = holdfast.lock("allowed").acquire(Duration.ofSeconds(60));
            CompletableFuture<Lease> rival = other.lock("allowed").acquireAsync(Duration.ofMinutes(3));
            // After a third of its time, with tokens that last for a second.
            await("renewed").atMost(Duration.ofSeconds(60)).until(Renewed.since(lease));
            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            holdfast.inspect("allowed").orElseThrow().waiters().size() == 1);
            assertThat(holdfast.list("", 10)).hasSize(1);
            assertThat(holdfast.diagnose()).extracting(Finding::code).doesNotContain("etcd.open");
            lease.close();
            Lease served = rival.get(60, TimeUnit.SECONDS);
            assertThat(holdfast.breakLock(holdfast.inspect("allowed").orElseThrow()))
                    .isPresent();
            served.close();
            holdfast.lock("kept")
                    .heldAtLeast(Duration.ofSeconds(1))
                    .acquire(Duration.ofSeconds(60))
                    .close();
        }
    }

    @Test
    void theRoleIsEnoughForSemaphoresAndReadWriteLocks() throws Exception {
        Duration patience = Duration.ofSeconds(60);
        try (Holdfast holdfast = open(url("shop:" + PASSWORD, "shop/kinds"));
                Holdfast other = open(url("shop:" + PASSWORD, "shop/kinds"))) {
            Lease first = holdfast.semaphore("allowed", 2).acquire(patience);
            Lease second = other.semaphore("allowed", 2).acquire(patience);
            assertThat(second.slot()).isNotEqualTo(first.slot());
            Lease reader = holdfast.readWriteLock("allowed").read().acquire(patience);
            Lease beside = other.readWriteLock("allowed").read().acquire(patience);
            CompletableFuture<Lease> slot = holdfast.semaphore("allowed", 2).acquireAsync(Duration.ofMinutes(3));
            CompletableFuture<Lease> writer =
                    holdfast.readWriteLock("allowed").write().acquireAsync(Duration.ofMinutes(3));
            await("renewed").atMost(patience).until(Renewed.since(second));
            await("renewed").atMost(patience).until(Renewed.since(beside));
            assertThat(holdfast.list("", 10)).hasSize(4);
            second.close();
            assertThat(slot.get(60, TimeUnit.SECONDS).slot()).isEqualTo(second.slot());
            reader.close();
            beside.close();
            writer.get(60, TimeUnit.SECONDS).close();
            for (LockState each : holdfast.inspect(LockKey.semaphore("allowed"))) {
                assertThat(holdfast.breakLock(each)).isPresent();
            }
            assertThat(holdfast.list("", 10)).isEmpty();
        }
    }

    @Test
    void whoLacksThePermissionIsRefusedWithTheReason() {
        try (Holdfast holdfast = open(url("nobody:" + PASSWORD, "shop"))) {
            assertThatThrownBy(() -> holdfast.lock("x").acquire(Duration.ofSeconds(60)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasRootCauseMessage("PERMISSION_DENIED: etcdserver: permission denied")
                    .hasMessageContaining("readwrite");
        }
        try (Holdfast holdfast = open(url("shop:" + PASSWORD, "office"))) {
            assertThatThrownBy(() -> holdfast.lock("x").acquire(Duration.ofSeconds(60)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("permission denied");
        }
    }

    @Test
    void aWrongPasswordIsRefusedAndNotShown() {
        try (Holdfast holdfast = open(url("shop:wrong-" + PASSWORD, "shop"))) {
            assertThatThrownBy(() -> holdfast.lock("x").acquire(Duration.ofSeconds(60)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasCauseInstanceOf(RefusedException.class)
                    .satisfies(failure -> assertThat(stack(failure)).doesNotContain(PASSWORD));
        }
    }

    @Test
    void whoHasNoPasswordIsRefused() {
        try (Holdfast holdfast = open(server.url() + "/shop")) {
            assertThatThrownBy(() -> holdfast.lock("x").acquire(Duration.ofSeconds(60)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("asks for a login")
                    .hasCauseInstanceOf(RefusedException.class);
        }
    }

    @Test
    void aDeadMemberDoesNotKeepAnybodyFromLoggingIn() throws Exception {
        // Which member is asked first is left to chance. If it was the dead one, the login used to fail, and with it
        // the request, which without a login would have gone on to the next member.
        String dead = "127.0.0.1:" + ServerPorts.next() + ",127.0.0.1:" + ServerPorts.next() + ",";
        String url = "etcd://shop:" + PASSWORD + "@" + dead + server.addresses(0) + "/shop/dead";
        for (int i = 0; i < 6; i++) {
            try (Holdfast holdfast = open(url)) {
                assertThat(holdfast.lock("not alone " + i).tryAcquire()).isPresent();
            }
        }
    }

    @Test
    void whoWaitsIsWokenAlsoAfterTheTokenOfItsStreamHasExpired() throws Exception {
        // The stream of watches was opened with a token that the servers do not know any more. They used to refuse each
        // new watch on it, which nobody noticed: the lock was taken over with the next look only, seconds later.
        ManualTime time = new ManualTime();
        Wakings told = new Wakings();
        EtcdBackend holder = EtcdBackend.connect(url("shop:" + PASSWORD, "shop/token"));
        EtcdBackend waiter = EtcdBackend.connect(url("shop:" + PASSWORD, "shop/token"));
        try (holder;
                waiter) {
            holder.open(new ManualTime(), new Wakings());
            waiter.open(time, told);
            handOver("token before", holder, waiter, time, told);
            server.etcdctl("--user=root:" + PASSWORD, "auth", "disable");
            server.etcdctl("auth", "enable");
            handOver("token after", holder, waiter, time, told);
        }
    }

    /** Without core, which would look by itself after some seconds. */
    private static void handOver(String name, EtcdBackend holder, EtcdBackend waiter, ManualTime time, Wakings told)
            throws Exception {
        Claim first = claim(name);
        Claim waiting = claim(name).queuedSince(1_000);
        Answer held = ask(holder, first);
        assertThat(held).isInstanceOf(Answer.Granted.class);
        assertThat(ask(waiter, waiting)).isInstanceOf(Answer.Busy.class);
        long token = ((Answer.Granted) held).grant().lastToken();
        holder.release(new Holding(name, first.owner(), token, first.lease()))
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS);
        await("handed over").atMost(Duration.ofSeconds(60)).until(() -> {
            // As core does.
            if (told.recheck.getAndSet(false)) {
                var unused = waiter.tryAcquire(waiting).thenAccept(told::answered);
            }
            time.advance(Duration.ofMillis(10));
            return told.granted.get();
        });
        told.granted.set(false);
    }

    private static Claim claim(String name) {
        Owner owner = Owner.random(new SecureRandom());
        return Claim.of(name, owner, Duration.ofMinutes(2), 1, new Holder("here", 1, ""));
    }

    private static Answer ask(EtcdBackend backend, Claim claim) throws Exception {
        return backend.tryAcquire(claim).toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static final class Wakings implements Events {
        final AtomicBoolean granted = new AtomicBoolean();
        final AtomicBoolean recheck = new AtomicBoolean();

        void answered(Answer answer) {
            if (answer instanceof Answer.Granted) {
                granted.set(true);
            }
        }

        @Override
        public void granted(String name, Owner owner, Grant grant) {
            granted.set(true);
        }

        @Override
        public void maybeFree(String name) {}

        @Override
        public void lost(String name, Owner owner, String why) {}

        @Override
        public void recheckAll(String why) {
            recheck.set(true);
        }

        @Override
        public void notice(BackendNotice notice) {}
    }

    private static String stack(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static Holdfast open(String url) {
        EtcdBackend backend =
                EtcdBackend.builder(url).requestTimeout(Duration.ofSeconds(60)).connect();
        return Holdfast.builder(backend)
                .lease(Duration.ofSeconds(18))
                .unavailableAfter(Duration.ofSeconds(60))
                .closeGrace(Duration.ZERO)
                .build();
    }
}
