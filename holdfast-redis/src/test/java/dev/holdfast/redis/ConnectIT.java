package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.Proxy;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.TlsStore;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The ways to a server. */
@Isolated("counts threads of the whole process, and reads its log")
@Timeout(240)
class ConnectIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @TempDir
    Path folder;

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
    }

    @Test
    void theTimeoutsOfTheUsersClientDoNotMatterAndItIsNotClosed() throws Exception {
        // A client whose commands time out after a nanosecond. Ours do not; and after us it works as before.
        try (RedisClient client = RedisClient.create(redis.url())) {
            client.setOptions(ClientOptions.builder()
                    .timeoutOptions(TimeoutOptions.builder()
                            .timeoutCommands(true)
                            .fixedTimeout(Duration.ofNanos(1))
                            .build())
                    .build());
            RedisBackend backend = RedisBackend.over(client, redis.url())
                    .commandTimeout(Patient.TIMEOUT)
                    .connect();
            try (Holdfast holdfast = Holdfast.over(backend);
                    Lease lease = holdfast.lock("a").acquire(PATIENCE)) {
                assertThat(lease.isValid()).isTrue();
            }
            client.setOptions(ClientOptions.create());
            assertThat(client.connect().sync().ping()).isEqualTo("PONG");
        }
    }

    @Test
    void aUserWithAPasswordConnectsEveryTime() {
        // One in twenty used to fail: after AUTH the connection is announced a moment before it takes commands.
        redis.call("ACL", "SETUSER", "alice", "on", ">secret", "~*", "&*", "+@all");
        for (int i = 0; i < 60; i++) {
            Patient.client(redis.url("alice", "secret")).close();
        }
    }

    @Test
    void closingIsNothingToWarnOf() {
        // Most connections used to be closed twice, which Lettuce told the user's log.
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            for (int i = 0; i < 50; i++) {
                Patient.client(redis.url()).close();
            }
        } finally {
            System.setErr(before);
        }
        assertThat(log.toString(StandardCharsets.UTF_8)).doesNotContain("already closed");
    }

    @Test
    void aConnectionMayTakeLongerThanARequest() throws Exception {
        // Requests get a tenth of a second. The first answer on a connection takes longer, as in a JVM that is just
        // starting. Two seconds are allowed, and a busy machine may need them for itself: then once more.
        try (Proxy slow = new Proxy(redis.port())) {
            RedisBackend.Builder builder = RedisBackend.builder(slow.url()).commandTimeout(Duration.ofMillis(100));
            Patient.connect(() -> {
                        slow.holdRequests();
                        CompletableFuture.delayedExecutor(400, TimeUnit.MILLISECONDS)
                                .execute(slow::letThrough);
                        return builder.connect();
                    })
                    .close();
        }
    }

    @Test
    void closingLetsGoOfConnectionsAndThreads() {
        // Opened and closed ten times over.
        Patient.client(redis.url()).close();
        await().atMost(PATIENCE).until(() -> connections() == 1);
        long threads = nettyThreads();
        for (int i = 0; i < 10; i++) {
            Patient.client(redis.url()).close();
        }
        await().atMost(PATIENCE).until(() -> connections() == 1 && nettyThreads() <= threads);
    }

    private static long connections() {
        return redis.text("CLIENT", "LIST").lines().count();
    }

    private static long nettyThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("lettuce"))
                .count();
    }

    @Test
    void locksWorkOverTls() throws Exception {
        // The server's certificate is trusted because the user's client says so; without that the connection is
        // refused.
        TlsStore store = TlsStore.create(folder.resolve("store.p12"));
        try (Proxy tls = new Proxy(redis.port(), store.serverSockets());
                RedisClient client = RedisClient.create()) {
            String url = "rediss://127.0.0.1:" + tls.port();
            assertThatThrownBy(() -> RedisBackend.connect(url)).isInstanceOf(LockUnavailableException.class);
            client.setOptions(ClientOptions.builder()
                    .sslOptions(SslOptions.builder()
                            .truststore(store.file().toFile(), TlsStore.PASSWORD)
                            .build())
                    .build());
            try (Holdfast one = Holdfast.over(RedisBackend.over(client, url)
                            .commandTimeout(Patient.TIMEOUT)
                            .connect());
                    Holdfast other = Patient.client(redis.url())) {
                Lease held = other.lock("a").acquire(PATIENCE);
                CompletableFuture<Lease> waiting = one.lock("a").acquireAsync(PATIENCE);
                await().atMost(PATIENCE)
                        .until(() -> other.inspect("a").orElseThrow().waiters().size() == 1);
                held.close();
                waiting.get().close();
            }
        }
    }

    @Test
    void sillySettingsAreRefused() {
        assertThatThrownBy(() -> RedisBackend.builder(redis.url()).commandTimeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("commandTimeout");
        assertThatThrownBy(() -> RedisBackend.builder(redis.url()).claimWindow(Duration.ofHours(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("claimWindow");
    }
}
