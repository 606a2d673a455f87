package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisServer;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Over a RedisClusterClient of the user, in a cluster that only one user may write to. */
class ClusterClientIT {
    @RegisterExtension
    static final RedisCluster cluster = RedisCluster.withoutReplicas();

    @BeforeAll
    static void protect() {
        for (RedisServer server : cluster.servers()) {
            server.call("ACL", "SETUSER", "shop", "on", ">hunter2", "~*", "&*", "+@all");
            server.call("ACL", "SETUSER", "default", "resetkeys", "%R~*");
        }
    }

    private static RedisClusterClient client(String password) {
        RedisURI uri = RedisURI.create(cluster.servers().get(0).url());
        uri.setCredentialsProvider(new StaticCredentialsProvider("shop", password.toCharArray()));
        return RedisClusterClient.create(uri);
    }

    @Test
    void itsLoginIsUsedAtEveryServer() throws Exception {
        // The addresses that a client has learned from the cluster come without a login: every lock was refused.
        RedisClusterClient client = client("hunter2");
        client.getPartitions();
        try (Holdfast holdfast = Holdfast.over(
                RedisBackend.over(client).commandTimeout(Patient.TIMEOUT).connect())) {
            for (int i = 0; i < 20; i++) {
                try (Lease lease = holdfast.lock("lock-" + i).acquire(Duration.ofSeconds(60))) {
                    assertThat(lease.isValid()).isTrue();
                }
            }
        } finally {
            client.shutdown();
        }
    }

    @Test
    void aWrongLoginIsRefused() {
        RedisClusterClient client = client("wrong");
        try {
            assertThatThrownBy(() -> RedisBackend.over(client)
                            .commandTimeout(Patient.TIMEOUT)
                            .connect())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("WRONGPASS");
        } finally {
            client.shutdown();
        }
    }
}
