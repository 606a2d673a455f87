package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.tck.Renewed;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
                    .hasCauseInstanceOf(RefusedException.class);
        }
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
