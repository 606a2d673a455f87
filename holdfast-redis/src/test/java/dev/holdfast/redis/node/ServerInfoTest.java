package dev.holdfast.redis.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerInfoTest {
    @Test
    void aClusterIsKnownByTheFieldOfRedisAndOfValkey() {
        // Valkey renamed redis_mode: its clusters were refused, or taken for servers whose PUBLISH counts everybody.
        assertThat(ServerInfo.parse("redis_version:7.0.15\r\nredis_mode:cluster\r\n")
                        .identity()
                        .countsReceivers())
                .isFalse();
        assertThat(ServerInfo.parse("redis_version:7.2.4\r\nserver_mode:cluster\r\n")
                        .identity()
                        .countsReceivers())
                .isFalse();
        assertThat(ServerInfo.parse("redis_version:7.2.4\r\nserver_mode:standalone\r\n")
                        .identity()
                        .countsReceivers())
                .isTrue();
    }

    @Test
    void valkeyIsNamed() {
        assertThat(ServerInfo.parse("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\n")
                        .product())
                .isEqualTo("Valkey 8.1.1");
        assertThat(ServerInfo.parse("redis_version:7.0.15\r\n").product()).isEqualTo("Redis 7.0.15");
    }
}
