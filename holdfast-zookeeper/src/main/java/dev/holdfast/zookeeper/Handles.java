package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;

/** Makes handles that know when they last turned to a server, and that can be left without ending their session. */
final class Handles implements ZookeeperFactory {
    private final Environment environment;

    Handles(Environment environment) {
        this.environment = environment;
    }

    @Override
    public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
            throws IOException {
        return new Handle(connectString, sessionTimeout, watcher, new Hosts(connectString, environment));
    }

    /** The library's own, and what we need beside it. */
    @SuppressWarnings("try") // That close() can be interrupted is the library's doing.
    static final class Handle extends ZooKeeper {
        private final Hosts hosts;

        Handle(String connectString, int sessionTimeout, Watcher watcher, Hosts hosts) throws IOException {
            // Never read-only: a server without a quorum must not answer us.
            super(connectString, sessionTimeout, watcher, false, hosts);
            this.hosts = hosts;
        }

        /** The newest connection that came about was asked for after this. */
        long connectedAfterNanos() {
            return hosts.connectedAfterNanos;
        }

        /** Hangs up. The servers keep the session, and what belongs to it, until it times out. */
        void abandon() {
            cnxn.disconnect();
        }
    }

    private static final class Hosts implements HostProvider {
        private final StaticHostProvider hosts;
        private final Environment environment;
        private volatile long soughtNanos;
        private volatile long connectedAfterNanos;

        Hosts(String connectString, Environment environment) {
            this.hosts = new StaticHostProvider(new ConnectStringParser(connectString).getServerAddresses());
            this.environment = environment;
            this.soughtNanos = environment.nanoTime();
            this.connectedAfterNanos = soughtNanos;
        }

        @Override
        public int size() {
            return hosts.size();
        }

        @Override
        public InetSocketAddress next(long spinDelay) {
            // Before the library connects: the server, and behind it the leader, hear of the session later than this.
            soughtNanos = environment.nanoTime();
            return hosts.next(spinDelay);
        }

        @Override
        public void onConnected() {
            // Only now: an attempt that is still under way proves nothing.
            connectedAfterNanos = soughtNanos;
            hosts.onConnected();
        }

        @Override
        public boolean updateServerList(Collection<InetSocketAddress> addresses, InetSocketAddress current) {
            return hosts.updateServerList(addresses, current);
        }
    }
}
