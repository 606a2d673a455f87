package dev.holdfast.spring.boot;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.zookeeper.ZooKeeperBackend;
import org.apache.curator.framework.CuratorFramework;

/** Locks in the ZooKeeper that the application's framework leads to. */
final class ZooKeeperBackends {
    private ZooKeeperBackends() {}

    static LockBackend over(CuratorFramework framework, HoldfastProperties properties) {
        return connect(ZooKeeperBackend.over(framework), properties.zookeeper());
    }

    static LockBackend connect(ZooKeeperBackend.Builder builder, HoldfastProperties.Zookeeper zookeeper) {
        Setting.apply("holdfast.zookeeper.namespace", zookeeper.namespace(), builder::namespace);
        Setting.apply("holdfast.zookeeper.tick-time", zookeeper.tickTime(), builder::tickTime);
        Setting.apply("holdfast.zookeeper.sync-limit", zookeeper.syncLimit(), builder::syncLimit);
        Setting.apply("holdfast.zookeeper.session-timeout", zookeeper.sessionTimeout(), builder::sessionTimeout);
        // Whether the session is long enough depends on all of them.
        return Setting.checked("holdfast.zookeeper.session-timeout", builder::connect);
    }
}
