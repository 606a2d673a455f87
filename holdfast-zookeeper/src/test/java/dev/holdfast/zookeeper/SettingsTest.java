package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void aSessionThatProvesNothingIsRefusedWithWhatToSet() {
        // Defaults of the servers: 5 ticks of 2 s. And what the message recommends is accepted.
        ZooKeeperBackend.Builder builder = ZooKeeperBackend.builder("localhost:2181");
        assertThatThrownBy(() -> builder.sessionTimeout(Duration.ofSeconds(10)).connect())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("10000 ms is too short")
                .hasMessageContaining("tickTime 2000 ms and syncLimit 5")
                .hasMessageContaining("sessionTimeout of more than 13 s");
        assertThatCode(() -> builder.sessionTimeout(Duration.ofSeconds(14)).connect())
                .doesNotThrowAnyException();
        assertThatCode(() -> builder.tickTime(Duration.ofMillis(500))
                        .sessionTimeout(Duration.ofSeconds(10))
                        .connect())
                .doesNotThrowAnyException();
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        ZooKeeperBackend.Builder builder = ZooKeeperBackend.builder("localhost:2181");
        assertThatThrownBy(() -> builder.sessionTimeout(Duration.ofMinutes(2))).hasMessageContaining("one minute");
        assertThatThrownBy(() -> builder.tickTime(Duration.ZERO)).hasMessageContaining("positive");
        assertThatThrownBy(() -> builder.syncLimit(0)).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> builder.namespace("a/b")).hasMessageContaining("one path element");
        assertThatThrownBy(() -> ZooKeeperBackend.builder("")).hasMessageContaining("host:2181");
    }

    @Test
    void aUrlHasTheSettingsWithIt() {
        // Typing errors are refused, and a password with characters of URLs is written as URLs write it.
        String servers = "zookeeper://app:p%40ss@a:1,b:2/shop";
        assertThatCode(() -> ZooKeeperBackend.connect(servers + "?tickTime=500ms&syncLimit=3&sessionTimeout=10s"))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> ZooKeeperBackend.connect(servers + "?sessionTimeout=10s"))
                .hasMessageContaining("10000 ms is too short");
        assertThatThrownBy(() -> ZooKeeperBackend.connect(servers + "?ticktime=2s"))
                .hasMessageContaining("known are tickTime");
        assertThatThrownBy(() -> ZooKeeperBackend.connect(servers + "?tickTime=2"))
                .hasMessageContaining("2s or 500ms");
        assertThatThrownBy(() -> ZooKeeperBackend.connect("zookeeper:///shop")).hasMessageContaining("host:2181");
    }
}
