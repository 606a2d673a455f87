package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.spi.RefusedException;
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
@Timeout(90)
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
            Lease lease = holdfast.lock("allowed").acquire(Duration.ofSeconds(20));
            CompletableFuture<Lease> rival = other.lock("allowed").acquireAsync(Duration.ofSeconds(60));
            // Past its first end, so it was renewed, with tokens that last for a second.
            await().pollDelay(Duration.ofSeconds(8))
                    .atMost(Duration.ofSeconds(20))
                    .until(lease::isValid);
            await().atMost(Duration.ofSeconds(20))
                    .until(() ->
                            holdfast.inspect("allowed").orElseThrow().waiters().size() == 1);
            assertThat(holdfast.list("", 10)).hasSize(1);
            assertThat(holdfast.diagnose()).extracting(Finding::code).doesNotContain("etcd.open");
            lease.close();
            Lease served = rival.get(20, TimeUnit.SECONDS);
            assertThat(holdfast.breakLock(holdfast.inspect("allowed").orElseThrow()))
                    .isPresent();
            served.close();
            holdfast.lock("kept")
                    .heldAtLeast(Duration.ofSeconds(1))
                    .acquire(Duration.ofSeconds(20))
                    .close();
        }
    }

    @Test
    void whoLacksThePermissionIsRefusedWithTheReason() {
        try (Holdfast holdfast = open(url("nobody:" + PASSWORD, "shop"))) {
            assertThatThrownBy(() -> holdfast.lock("x").acquire(Duration.ofSeconds(20)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasRootCauseMessage("PERMISSION_DENIED: etcdserver: permission denied")
                    .hasMessageContaining("readwrite");
        }
        try (Holdfast holdfast = open(url("shop:" + PASSWORD, "office"))) {
            assertThatThrownBy(() -> holdfast.lock("x").acquire(Duration.ofSeconds(20)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("permission denied");
        }
    }

    @Test
    void aWrongPasswordIsRefusedAndNotShown() {
        try (Holdfast holdfast = open(url("shop:wrong-" + PASSWORD, "shop"))) {
            assertThatThrownBy(() -> holdfast.lock("x").acquire(Duration.ofSeconds(20)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasCauseInstanceOf(RefusedException.class)
                    .satisfies(failure -> assertThat(stack(failure)).doesNotContain(PASSWORD));
        }
    }

    @Test
    void whoHasNoPasswordIsRefused() {
        try (Holdfast holdfast = open(server.url() + "/shop")) {
            assertThatThrownBy(() -> holdfast.lock("x").acquire(Duration.ofSeconds(20)))
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
        return Holdfast.builder(EtcdBackend.connect(url))
                .lease(Duration.ofSeconds(6))
                .closeGrace(Duration.ZERO)
                .build();
    }
}
