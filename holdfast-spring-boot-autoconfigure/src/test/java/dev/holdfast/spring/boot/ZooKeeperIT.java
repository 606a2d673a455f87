package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.tck.ServerPorts;
import java.time.Duration;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;

/** Locks in a real ZooKeeper, through a framework that is a bean. */
class ZooKeeperIT {
    @Test
    void theFrameworkOfTheApplicationIsUsedAndOutlivesTheLocks() throws Exception {
        try (TestingServer server = new TestingServer(ServerPorts.next(), true);
                CuratorFramework framework = CuratorFrameworkFactory.newClient(
                        server.getConnectString(), 30_000, 30_000, new RetryOneTime(100))) {
            framework.start();
            Contexts.runner()
                    .withBean(
                            CuratorFramework.class, () -> framework, definition -> definition.setDestroyMethodName(""))
                    // So short that the first lock need not wait for ten seconds of the session's life. The session is
                    // long, so
                    // that it outlives a server that stands still for a while.
                    .withPropertyValues(
                            "holdfast.zookeeper.tick-time=100ms",
                            "holdfast.zookeeper.sync-limit=2",
                            "holdfast.zookeeper.session-timeout=30s",
                            "holdfast.zookeeper.namespace=shop")
                    .run(context -> {
                        Holdfast holdfast = context.getBean(Holdfast.class);
                        try (Lease lease = holdfast.lock("a").acquire(Duration.ofSeconds(60))) {
                            assertThat(lease.isValid()).isTrue();
                            assertThat(framework.checkExists().forPath("/shop")).isNotNull();
                        }
                        assertThat(context.getBeanFactory().getDependentBeans("curatorFramework"))
                                .contains("holdfast", "holdfastLifecycle");
                    });
        }
    }
}
