package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.redis.node.Confirmation;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {
    @Test
    void theReplicaPolicyIsReadFromTheUrl() {
        assertThat(RedisAddress.parse("redis://a:6379").confirmation()).isNull();
        assertThat(RedisAddress.parse("redis://a:6379?waitForReplicas=2").confirmation())
                .isEqualTo(new Confirmation(2, false, Duration.ofMillis(500)));
        assertThat(RedisAddress.parse("redis+sentinel://a,b:26380/shop?waitForDisk=0&waitMillis=100&db=3")
                        .confirmation())
                .isEqualTo(new Confirmation(0, true, Duration.ofMillis(100)));
        assertThat(RedisAddress.parse("rediss+cluster://user:p%40ss@a:1,b:2?waitForReplicas=1")
                        .confirmation())
                .isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis+sentinel://secret@a:26379",
                "redis+sentinel://secret@a:26379/",
                "redis+sentinel://secret@a:26379/a/b",
                "redis+sentinel://secret@a:26379,/shop",
                "http+sentinel://secret@a:26379/shop",
                "redis+cluster://secret@a:1,,b:2",
                "redis+cluster://secret@a:1/3",
                "redis+cluster://secret@a:1?database=3",
                "redis+cluster://secret@a:1?what=1",
                "redis+cluster://secret@a:b",
                "redis://secret@a:1?waitForReplicas=0",
                "redis://secret@a:1?waitForReplicas=1&waitForDisk=1",
                "redis://secret@a:1?waitMillis=100",
                "redis://secret@a:1?waitForReplicas=many",
                "redis://secret@a:1?sentinelPassword=other",
                "redis://secret@a:1?waitForDisk=1&waitMillis=1",
            })
    void whatCannotBeReadIsRefusedWithoutItsPassword(String url) {
        assertThatThrownBy(() -> RedisAddress.parse(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }
}
