package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees.Failover;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Ways to reach a cluster and the master behind sentinels, and what is said of them. */
@Timeout(300)
class ClusterConnectIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final RedisCluster cluster = RedisCluster.withReplicas();

    @RegisterExtension
    static final RedisSentinels sentinels = RedisSentinels.trio();

    @RegisterExtension
    static final RedisServer single = RedisServer.embedded();

    @Test
    void aClusterClientOfTheUsersIsTakenAsItIs() throws Exception {
        RedisClusterClient client =
                RedisClusterClient.create("redis://" + cluster.servers().get(0).name());
        try (Holdfast holdfast = Holdfast.over(RedisBackend.over(client)
                        .commandTimeout(Patient.TIMEOUT)
                        .connect());
                Holdfast other = Patient.client(cluster.url())) {
            for (int i = 0; i < 20; i++) {
                try (Lease lease = holdfast.lock("own-" + i).acquire(PATIENCE)) {
                    assertThat(lease.isValid()).isTrue();
                    assertThat(other.lock("own-" + i).tryAcquire()).isEmpty();
                }
            }
        }
        // Not closed by us.
        assertThat(client.connect().sync().ping()).isEqualTo("PONG");
        client.shutdown();
    }

    @Test
    void aClientAndAUriWithSentinelsAreTakenAsTheyAre() throws Exception {
        RedisServer first = sentinels.sentinels().get(0);
        RedisURI uri = RedisURI.Builder.sentinel("127.0.0.1", first.port(), RedisSentinels.MASTER)
                .build();
        RedisClient client = RedisClient.create();
        try (Holdfast holdfast = Holdfast.over(RedisBackend.over(client, uri)
                        .commandTimeout(Patient.TIMEOUT)
                        .connect());
                Holdfast other = Holdfast.over(RedisBackend.builder(uri)
                        .commandTimeout(Patient.TIMEOUT)
                        .connect())) {
            try (Lease lease = holdfast.lock("own").acquire(PATIENCE)) {
                assertThat(lease.isValid()).isTrue();
                assertThat(other.lock("own").tryAcquire()).isEmpty();
            }
        }
        client.shutdown();
    }

    @Test
    void whatIsWrittenOfTheTopologyIsRight() throws Exception {
        try (RedisBackend backend = Patient.backend(cluster.url())) {
            assertThat(backend.guarantees().failover()).isEqualTo(Failover.TOLD);
        }
        try (RedisBackend backend = Patient.backend(single.url())) {
            assertThat(backend.guarantees().failover()).isEqualTo(Failover.NONE);
        }
        try (Holdfast holdfast = Patient.client(cluster.url())) {
            Finding topology = finding(holdfast, "redis.topology");
            assertThat(topology.what()).contains("Cluster: 3 masters").contains("3 replicas");
            for (RedisServer server : cluster.servers()) {
                assertThat(topology.what()).contains(server.name());
            }
        }
        try (Holdfast holdfast = Patient.client(sentinels.url())) {
            assertThat(finding(holdfast, "redis.topology").what())
                    .contains("sentinel master shop")
                    .contains("port " + sentinels.master().port())
                    .contains("the replica 127.0.0.1:" + sentinels.replica().port() + " (online)");
        }
    }

    private static Finding finding(Holdfast holdfast, String code) throws InterruptedException {
        return holdfast.diagnose().stream()
                .filter(finding -> finding.code().equals(code))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void locksOfAllServersAreListedInOrder() throws Exception {
        try (Holdfast holdfast = Patient.client(cluster.url())) {
            List<String> names =
                    IntStream.range(0, 60).mapToObj(i -> "listed-" + (100 + i)).toList();
            for (String name : names) {
                var unused = holdfast.lock(name).acquire(PATIENCE);
            }
            assertThat(holdfast.list("listed-", 100))
                    .extracting(LockState::name)
                    .isEqualTo(names);
            assertThat(holdfast.list("listed-", 7)).extracting(LockState::name).isEqualTo(names.subList(0, 7));
        }
    }

    @Test
    void theWrongKindOfUrlIsToldTheRightOne() {
        assertThatThrownBy(() -> Patient.backend("redis+cluster://" + single.name()))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("is not part of a cluster: write redis://");
        try (Holdfast holdfast =
                Patient.client("redis://" + cluster.servers().get(0).name())) {
            assertThatThrownBy(() -> {
                        // One of these belongs to another server.
                        for (int i = 0; i < 20; i++) {
                            holdfast.lock("misled-" + i).acquire(PATIENCE).close();
                        }
                    })
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("is part of a cluster")
                    .hasMessageContaining("redis+cluster://");
        }
        assertThatThrownBy(() -> Patient.backend(
                        "redis+sentinel://" + sentinels.sentinels().get(0).name() + "/another"))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("another");
    }

    @Test
    void theLinePrintedForAClusterIsEnough() throws Exception {
        String line = new Errors("x", Keys.standard().prefix(), Topology.Kind.CLUSTER).aclLine("least") + " on >secret";
        assertThat(line).contains("+cluster|slots").contains("+asking");
        cluster.servers().forEach(server -> server.call(line.split(" ", -1)));
        String url = cluster.url().replace("://", "://least:secret@");
        try (Holdfast one = Patient.client(url);
                Holdfast other = Patient.client(url)) {
            for (int i = 0; i < 20; i++) {
                Lease lease = one.lock("least-" + i).acquire(PATIENCE);
                CompletableFuture<Lease> waiting = other.lock("least-" + i).acquireAsync(PATIENCE);
                lease.close();
                waiting.get(60, TimeUnit.SECONDS).close();
            }
            assertThat(one.list("least-", 100)).isEmpty();
        }
    }

    @Test
    void aUserThatMayNotAskForTheServersIsToldWhatToPermit() {
        String line = (new Errors("x", Keys.standard().prefix(), Topology.Kind.CLUSTER).aclLine("blind")
                        + " on >secret")
                .replace(" +cluster|slots", "");
        cluster.servers().forEach(server -> server.call(line.split(" ", -1)));
        assertThatThrownBy(() -> Patient.backend(cluster.url().replace("://", "://blind:secret@")))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("does not permit")
                .hasMessageContaining("+cluster|slots")
                .hasMessageNotContaining("secret");
    }
}
