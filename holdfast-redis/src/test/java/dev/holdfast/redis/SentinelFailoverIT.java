package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.SentinelFailover;
import dev.holdfast.redis.testing.StagedFailover;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SentinelFailoverIT extends FailoverScenarios {
    @RegisterExtension
    static final RedisSentinels sentinels = RedisSentinels.trio();

    private final SentinelFailover control = new SentinelFailover(sentinels);

    @Override
    String url() {
        return sentinels.url();
    }

    @Override
    StagedFailover control() {
        return control;
    }

    @Override
    RedisServer master(String name) {
        return sentinels.master();
    }

    @Test
    void aSentinelThatAcceptsConnectionsAndStaysSilentIsPassedOver() throws Exception {
        // The first of the list is frozen. It used to keep everybody, for as long as it was.
        RedisServer first = sentinels.sentinels().get(0);
        first.pause();
        try (Holdfast holdfast = Holdfast.over(RedisBackend.connect(url()));
                Lease lease = holdfast.lock("silent").acquire(Duration.ofSeconds(60))) {
            assertThat(lease.isValid()).isTrue();
        } finally {
            first.resume();
        }
    }
}
