package dev.holdfast.zookeeper;

import java.time.Duration;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * What the builder of a {@link ZooKeeperBackend} has collected.
 *
 * @param framework the program's own, or null to make one for the address
 * @param session how long the servers keep the locks of a process that has died
 * @param connectionTimeout how long a request waits for a connection
 * @param acl what new nodes get; null for creator-only where there are credentials, else open
 * @param digest user and password; null for none
 * @param tls null for a plain connection
 */
record Settings(
        @Nullable CuratorFramework framework,
        Address address,
        String namespace,
        Timing timing,
        Duration session,
        Duration connectionTimeout,
        @Nullable List<ACL> acl,
        @Nullable String digest,
        @Nullable ZKClientConfig tls) {
    Paths paths() {
        return Paths.below(address.root() + "/" + namespace);
    }

    @Override
    public String toString() {
        // Without the digest, and without what is in the configuration of TLS.
        return "Settings[" + address + ", " + namespace + "]";
    }
}
