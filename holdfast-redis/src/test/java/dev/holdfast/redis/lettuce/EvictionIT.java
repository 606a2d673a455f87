package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.BackendNotice;
import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.LockListener;
import dev.holdfast.Severity;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.MemoryPolicy;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real server that may remove keys, and one that did. */
@Timeout(240)
class EvictionIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void theListenerHearsOfItOnConnecting() throws Exception {
        // It used to be found by diagnose() only.
        List<String> heard = new CopyOnWriteArrayList<>();
        try (RedisServer redis = RedisServer.embedded("--maxmemory", "100mb", "--maxmemory-policy", "volatile-ttl")
                        .start();
                Holdfast holdfast = Holdfast.builder(Patient.backend(redis.url()))
                        .listener(new LockListener() {
                            @Override
                            public void notice(BackendNotice notice) {
                                heard.add(notice.toString());
                            }
                        })
                        .build()) {
            await().atMost(PATIENCE).until(() -> !heard.isEmpty());
            assertThat(heard).singleElement().asString().contains(":" + redis.port(), "volatile-ttl", "noeviction");
            assertThat(holdfast.diagnose()).extracting(Finding::severity).contains(Severity.DANGER);
        }
    }

    @Test
    void theNodeReadsItAgainWhenAsked() {
        // Set at run time, used until keys go, and put back.
        try (RedisServer redis = RedisServer.embedded().start()) {
            LettuceNode node = LettuceClients.node(null, ServerUrl.parse(redis.url()), PATIENCE, Keys.standard());
            try {
                node.connect();
                assertThat(node.memory()).isEqualTo(new MemoryPolicy(true, false, "noeviction", 0));
                for (int i = 0; i < 60; i++) {
                    redis.call("SET", "big-" + i, "x".repeat(50_000));
                }
                redis.call("CONFIG", "SET", "maxmemory-policy", "allkeys-random");
                redis.call("CONFIG", "SET", "maxmemory", "3mb");
                await().atMost(PATIENCE)
                        .until(() -> !redis.text("INFO", "stats").contains("evicted_keys:0\r"));
                node.identify().toCompletableFuture().join();
                assertThat(node.memory().mayEvict()).isTrue();
                assertThat(node.memory().evictedKeys()).isPositive();
                redis.call("CONFIG", "SET", "maxmemory", "0");
                node.identify().toCompletableFuture().join();
                assertThat(node.memory().mayEvict()).isFalse();
            } finally {
                node.close();
            }
        }
    }
}
