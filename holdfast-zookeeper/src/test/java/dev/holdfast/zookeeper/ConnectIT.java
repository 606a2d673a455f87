package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Ways to connect: chroot, authentication, the program's own framework, and none at all. */
@Timeout(120)
class ConnectIT {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final Server server = new Server();

    @Test
    void aPathInTheConnectStringKeepsApplicationsApart() throws Exception {
        // Two levels that do not exist yet. The same name under another path is another lock.
        try (Holdfast first = open(server.address() + "/apps/shop");
                Holdfast second = open(server.address() + "/apps/blog");
                Lease a = first.lock("a/b").acquire(PATIENCE);
                Lease b = second.lock("a/b").acquire(PATIENCE);
                CuratorFramework plain = framework(null, null)) {
            assertThat(a.token()).isNotEqualTo(b.token());
            assertThat(plain.getChildren().forPath("/apps")).containsExactlyInAnyOrder("shop", "blog");
            assertThat(plain.getChildren().forPath("/apps/shop")).containsExactly("holdfast");
            assertThat(first.list("", 10))
                    .singleElement()
                    .satisfies(state -> assertThat(state.name()).isEqualTo("a/b"));
        }
    }

    @Test
    void withADigestNobodyElseCanTouchTheLocks() throws Exception {
        // The right user works; another user, and one without a name, are refused at once and told what is missing.
        String address = server.address() + "/guarded";
        try (Holdfast holdfast = Holdfast.over(Clients.of(address, Clients.LONG)
                        .digest("app", "secret")
                        .build());
                Holdfast stranger = Holdfast.over(Clients.of(address, Clients.LONG)
                        .digest("other", "guess")
                        .build());
                Holdfast nobody = open(address);
                Lease lease = holdfast.lock("safe").acquire(PATIENCE)) {
            for (Holdfast other : List.of(stranger, nobody)) {
                assertThatThrownBy(() -> other.lock("safe").acquire(PATIENCE))
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("ZooKeeper refuses it")
                        .hasMessageContaining("cdrw");
            }
            assertThat(lease.isValid()).isTrue();
            assertThat(holdfast.diagnose()).noneMatch(finding -> finding.severity() == Finding.Severity.WARNING);
            assertThat(nobody.diagnose()).anyMatch(finding -> finding.what().contains("open to everybody"));
        }
    }

    @Test
    void theProgramsOwnFrameworkIsUsedAndNotClosed() throws Exception {
        // Connected for long already, with a namespace and with authentication of its own.
        try (CuratorFramework framework = framework("app:secret", "team")) {
            framework.create().forPath("/warm");
            Lease left;
            try (Holdfast holdfast = Holdfast.builder(ZooKeeperBackend.over(framework)
                            .acl(ZooDefs.Ids.CREATOR_ALL_ACL)
                            .tickTime(Duration.ofMillis(Server.TICK_MILLIS))
                            .syncLimit(Server.SYNC_LIMIT)
                            .build())
                    .closeGrace(Duration.ZERO)
                    .build()) {
                holdfast.lock("own").acquire(PATIENCE).close();
                left = holdfast.lock("left").withLease(Duration.ofSeconds(2)).acquire(PATIENCE);
                assertThat(framework.getChildren().forPath("/")).contains("holdfast");
            }
            assertThat(left.isValid()).isFalse();
            assertThat(framework.getState()).isEqualTo(CuratorFrameworkState.STARTED);
            // What was still held at the end is not held for as long as the framework lives.
            String lock = new Paths("/holdfast/1").lock("left");
            assertThat(framework.getChildren().forPath(lock)).hasSize(1);
            await("the lease ends")
                    .atMost(PATIENCE)
                    .until(() -> framework.getChildren().forPath(lock).isEmpty());
        }
    }

    @Test
    void aViewOfAFrameworkIsRefusedWithWhatToDo() {
        // Views hide the events that we depend on.
        try (CuratorFramework framework = framework(null, null)) {
            assertThatThrownBy(() -> ZooKeeperBackend.over(framework.usingNamespace("team")))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a view");
        }
    }

    @Test
    void nothingIsLeftBehind() throws Exception {
        // Held, waited for, withdrawn, released: then nothing of the name is left.
        String address = server.address() + "/traces";
        try (Holdfast holdfast = open(address);
                Holdfast rival = open(address);
                CuratorFramework plain = framework(null, null)) {
            try (Lease lease = holdfast.lock("one").acquire(PATIENCE)) {
                assertThat(rival.lock("one").tryAcquire()).isEmpty();
                CompletableFuture<Lease> waiting = rival.lock("one").acquireAsync();
                await("queued").atMost(PATIENCE).until(() -> waiters(holdfast, "one") == 1);
                waiting.cancel(true);
                await("withdrawn").atMost(PATIENCE).until(() -> waiters(holdfast, "one") == 0);
                assertThat(lease.isValid()).isTrue();
            }
            await("the server removes the empty containers")
                    .atMost(PATIENCE)
                    .until(() ->
                            plain.getChildren().forPath("/traces/holdfast/1").isEmpty());
            // And they come back when they are needed.
            holdfast.lock("one").acquire(PATIENCE).close();
        }
    }

    @Test
    void aServerThatIsNotThereIsUnavailableAndNotBusy() {
        // Nobody listens on that port.
        try (Holdfast holdfast = Holdfast.builder(ZooKeeperBackend.builder("127.0.0.1:1")
                        .connectionTimeout(Duration.ofMillis(200))
                        .build())
                .unavailableAfter(Duration.ofSeconds(1))
                .build()) {
            assertThatThrownBy(() -> holdfast.lock("nowhere").acquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("127.0.0.1:1");
        }
    }

    @Test
    void aSessionThatTheServersCutShortIsRefusedWithWhatToSet() throws Exception {
        // 30 s are asked for, the server grants 2 s: less than a follower may be behind its leader.
        InstanceSpec strict = new InstanceSpec(
                null, -1, -1, -1, true, -1, 200, 100, Map.of("maxSessionTimeout", "2000"), "127.0.0.1");
        try (TestingServer other = new TestingServer(strict, true);
                Holdfast holdfast = Holdfast.over(ZooKeeperBackend.connect(other.getConnectString()))) {
            assertThatThrownBy(() -> holdfast.lock("short").acquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("2000 ms proves nothing")
                    .hasMessageContaining("maxSessionTimeout");
            assertThat(holdfast.diagnose()).anyMatch(finding -> finding.severity() == Finding.Severity.DANGER);
        }
    }

    private static int waiters(Holdfast holdfast, String name) throws InterruptedException {
        return holdfast.inspect(name).orElseThrow().waiters().size();
    }

    private static Holdfast open(String address) {
        return Holdfast.over(Clients.of(address, Clients.LONG).build());
    }

    private static CuratorFramework framework(String digest, String namespace) {
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(server.address())
                .namespace(namespace)
                .sessionTimeoutMs(20_000)
                .retryPolicy(new RetryOneTime(100));
        if (digest != null) {
            builder.authorization("digest", digest.getBytes(StandardCharsets.UTF_8));
        }
        CuratorFramework framework = builder.build();
        framework.start();
        return framework;
    }
}
