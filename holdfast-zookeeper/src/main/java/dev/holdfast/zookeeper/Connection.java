package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.jspecify.annotations.Nullable;

/**
 * Curator's framework, ours or the program's. It finds servers, reconnects, and begins a new session after an old one.
 *
 * @param handles what ours makes its handles with; null if the framework is the program's
 */
record Connection(CuratorFramework curator, @Nullable HandleFactory handles) {
    boolean isOurs() {
        return handles != null;
    }

    /** @param holding whether something is held through it */
    static Connection of(Settings settings, Environment environment, BooleanSupplier holding) {
        CuratorFramework theirs = settings.framework();
        if (theirs != null) {
            return new Connection(theirs, null);
        }
        HandleFactory handles = new HandleFactory(environment, settings.tls(), holding);
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(settings.address().hosts())
                .sessionTimeoutMs(Math.toIntExact(settings.session().toMillis()))
                .connectionTimeoutMs(
                        Math.toIntExact(settings.connectionTimeout().toMillis()))
                .waitForShutdownTimeoutMs(1000)
                .zookeeperFactory(handles)
                // Nothing of ours goes through its retries.
                .retryPolicy(new RetryOneTime(1000));
        String digest = settings.digest();
        if (digest != null) {
            builder.authorization("digest", digest.getBytes(StandardCharsets.UTF_8));
        }
        return new Connection(builder.build(), handles);
    }
}
