package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Severity;
import dev.holdfast.tck.ServerPorts;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Ways to connect: chroot, authentication, the program's own framework, and none at all. */
@Timeout(240)
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
                        .connect());
                Holdfast stranger = Holdfast.over(Clients.of(address, Clients.LONG)
                        .digest("other", "guess")
                        .connect());
                Holdfast nobody = open(address);
                Lease lease = holdfast.lock("safe").acquire(PATIENCE)) {
            for (Holdfast other : List.of(stranger, nobody)) {
                assertThatThrownBy(() -> other.lock("safe").acquire(PATIENCE))
                        .isInstanceOf(LockUnavailableException.class)
                        .hasMessageContaining("ZooKeeper refuses it")
                        .hasMessageContaining("cdrw");
            }
            assertThat(lease.isValid()).isTrue();
            assertThat(holdfast.diagnose()).noneMatch(finding -> finding.severity() == Severity.WARNING);
            assertThat(nobody.diagnose()).anyMatch(finding -> finding.code().equals("zookeeper.acl-refused"));
        }
    }

    @Test
    void withoutCredentialsTheNodesAreOpenAndThatIsSaid() throws Exception {
        // There is nobody whom they could belong to.
        try (Holdfast holdfast = open(server.address() + "/open");
                Lease lease = holdfast.lock("door").acquire(PATIENCE)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(holdfast.diagnose()).anyMatch(finding -> finding.code().equals("zookeeper.acl-open"));
        }
    }

    @Test
    void nodesThatWereOpenBeforeThereWereCredentialsAreFound() throws Exception {
        // They used to go unnoticed: only the settings were looked at, never the nodes.
        String address = server.address() + "/once-open";
        try (Holdfast before = open(address)) {
            before.lock("old").acquire(PATIENCE).close();
        }
        try (Holdfast after = Holdfast.over(
                Clients.of(address, Clients.LONG).digest("app", "secret").connect())) {
            after.lock("new").acquire(PATIENCE).close();
            assertThat(after.diagnose()).anySatisfy(finding -> {
                assertThat(finding.code()).isEqualTo("zookeeper.acl-open");
                assertThat(finding.remedy()).contains("setAcl -R");
            });
        }
    }

    @Test
    void aFrameworkWithCredentialsCreatesNodesThatAreItsOwn() throws Exception {
        // They used to be open to everybody unless acl() was set as well.
        try (CuratorFramework framework = framework("app:secret", "own-by-default");
                CuratorFramework stranger = framework(null, "own-by-default")) {
            try (Holdfast holdfast = Holdfast.over(ZooKeeperBackend.over(framework)
                    .tickTime(Duration.ofMillis(Server.TICK_MILLIS))
                    .syncLimit(Server.SYNC_LIMIT)
                    .connect())) {
                try (Lease lease = holdfast.lock("mine").acquire(PATIENCE)) {
                    String lock = Paths.below("/holdfast").lock("mine");
                    String claim = framework.getChildren().forPath(lock).get(0);
                    assertThatThrownBy(() -> stranger.delete().forPath(lock + "/" + claim))
                            .isInstanceOf(KeeperException.NoAuthException.class);
                    assertThat(lease.isValid()).isTrue();
                }
                assertThat(holdfast.diagnose()).noneMatch(finding -> finding.severity() == Severity.WARNING);
            }
        }
    }

    @Test
    void theProgramsOwnFrameworkIsUsedAndNotClosed() throws Exception {
        // Connected for long already, with a namespace and with authentication of its own.
        try (CuratorFramework framework = framework("app:secret", "team")) {
            framework.create().forPath("/warm");
            Lease left;
            String claim;
            try (Holdfast holdfast = Holdfast.builder(ZooKeeperBackend.over(framework)
                            .acl(ZooDefs.Ids.CREATOR_ALL_ACL)
                            .tickTime(Duration.ofMillis(Server.TICK_MILLIS))
                            .syncLimit(Server.SYNC_LIMIT)
                            .connect())
                    .closeGrace(Duration.ZERO)
                    .build()) {
                holdfast.lock("own").acquire(PATIENCE).close();
                left = holdfast.lock("left").withLease(Duration.ofSeconds(5)).acquire(PATIENCE);
                String lock = Paths.below("/holdfast").lock("left");
                claim = lock + "/" + framework.getChildren().forPath(lock).get(0);
                assertThat(framework.getChildren().forPath("/")).contains("holdfast");
            }
            assertThat(left.isValid()).isFalse();
            assertThat(framework.getState()).isEqualTo(CuratorFrameworkState.STARTED);
            // What was still held at the end is not held for as long as the framework lives.
            await("the lease ends")
                    .atMost(PATIENCE)
                    .until(() -> framework.checkExists().forPath(claim) == null);
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
                            plain.getChildren().forPath("/traces/holdfast/2").equals(List.of("sessions")));
            // And they come back when they are needed.
            holdfast.lock("one").acquire(PATIENCE).close();
        }
    }

    @Test
    void aServerThatIsNotThereIsUnavailableAndNotBusy() {
        // Nobody listens on that port.
        try (Holdfast holdfast = Holdfast.builder(ZooKeeperBackend.builder("127.0.0.1:1")
                        .connectionTimeout(Duration.ofMillis(200))
                        .connect())
                .unavailableAfter(Duration.ofSeconds(1))
                .build()) {
            assertThatThrownBy(() -> holdfast.lock("nowhere").acquire()).isInstanceOf(LockUnavailableException.class);
        }
        // With its usual patience, so that no busy machine keeps the reason from being known by then.
        try (Holdfast holdfast = Holdfast.over(ZooKeeperBackend.builder("127.0.0.1:1")
                .connectionTimeout(Duration.ofMillis(200))
                .connect())) {
            assertThatThrownBy(() -> holdfast.lock("nowhere").tryAcquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("127.0.0.1:1");
        }
    }

    @Test
    void theFirstConnectIsPartOfTheWait() throws Exception {
        // The server comes up a while after the lock was asked for, later than one request waits for a connection.
        int port = ServerPorts.next();
        try (Holdfast holdfast = Holdfast.over(Clients.of("127.0.0.1:" + port, Clients.LONG)
                .connectionTimeout(Duration.ofMillis(500))
                .connect())) {
            CompletableFuture<Lease> waiting = holdfast.lock("early").acquireAsync(Duration.ofMinutes(2));
            assertThatThrownBy(() -> holdfast.lock("impatient").tryAcquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("127.0.0.1:" + port)
                    .hasMessageNotContaining("null");
            try (TestingServer late = new TestingServer(port, true);
                    Lease lease = waiting.get(120, TimeUnit.SECONDS)) {
                assertThat(late.getPort()).isEqualTo(port);
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    @Test
    void aSessionThatTheServersCutShortIsRefusedWithWhatToSet() throws Exception {
        // 30 s are asked for, the server grants 2 s: less than a follower may be behind its leader.
        InstanceSpec strict = new InstanceSpec(
                null, ServerPorts.next(), -1, -1, true, -1, 200, 100, Map.of("maxSessionTimeout", "2000"), "127.0.0.1");
        try (TestingServer other = new TestingServer(strict, true);
                Holdfast holdfast = Holdfast.over(ZooKeeperBackend.connect(other.getConnectString()))) {
            assertThatThrownBy(() -> holdfast.lock("short").acquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("2000 ms is too short")
                    .hasMessageContaining("maxSessionTimeout");
            assertThat(holdfast.diagnose()).anyMatch(finding -> finding.severity() == Severity.DANGER);
        }
    }

    private static int waiters(Holdfast holdfast, String name) throws InterruptedException {
        return holdfast.inspect(name).orElseThrow().waiters().size();
    }

    private static Holdfast open(String address) {
        return Holdfast.over(Clients.of(address, Clients.LONG).connect());
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
