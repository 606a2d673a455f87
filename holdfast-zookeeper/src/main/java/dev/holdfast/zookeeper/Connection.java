package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** Curator's framework, ours or the program's. It finds servers, reconnects, and begins a new session after an old one. */
record Connection(CuratorFramework curator, boolean isOurs) {
    static Connection of(ZooKeeperBackend.Settings settings, Environment environment) {
        CuratorFramework theirs = settings.framework();
        if (theirs != null) {
            return new Connection(theirs, false);
        }
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(settings.address().hosts())
                .sessionTimeoutMs(Math.toIntExact(settings.session().toMillis()))
                .connectionTimeoutMs(Math.toIntExact(settings.patience().toMillis()))
                .waitForShutdownTimeoutMs(1000)
                .zookeeperFactory(new Handles(environment))
                // Nothing of ours goes through its retries.
                .retryPolicy(new RetryOneTime(1000));
        String digest = settings.digest();
        if (digest != null) {
            builder.authorization("digest", digest.getBytes(StandardCharsets.UTF_8));
        }
        return new Connection(builder.build(), true);
    }
}
