package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.curator.utils.ZookeeperFactory;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.HostProvider;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/** Makes handles that know when they last turned to a server, and that can be left without ending their session. */
final class HandleFactory implements ZookeeperFactory {
    private final Environment environment;
    private final @Nullable ZKClientConfig config;
    private final BooleanSupplier holding;
    /** Set before the first handle is made. */
    private volatile Consumer<ZooKeeper> onExpired = handle -> {};

    /**
     * @param config null for what the library takes from its system properties
     * @param holding whether this process holds a lock, so that it must know soon if its session has ended
     */
    HandleFactory(Environment environment, @Nullable ZKClientConfig config, BooleanSupplier holding) {
        this.environment = environment;
        this.config = config;
        this.holding = holding;
    }

    /** Whom to tell that the session of a handle is over, on its own thread and before Curator hears it. */
    void onExpired(Consumer<ZooKeeper> listener) {
        onExpired = listener;
    }

    @Override
    public ZooKeeper newZooKeeper(String connectString, int sessionTimeout, Watcher watcher, boolean canBeReadOnly)
            throws IOException {
        ZKClientConfig used = config == null ? new ZKClientConfig() : config;
        Servers hosts = new Servers(connectString, environment::nanoTime, holding);
        EarlyExpiry first = new EarlyExpiry(watcher, onExpired);
        Handle handle = new Handle(connectString, sessionTimeout, first, hosts, used);
        first.handle = handle;
        return handle;
    }

    /** Curator takes some tenths of a second to replace a handle, and tells its listeners after that. */
    private static final class EarlyExpiry implements Watcher {
        private final Watcher curator;
        private final Consumer<ZooKeeper> listener;
        volatile @Nullable ZooKeeper handle;

        EarlyExpiry(Watcher curator, Consumer<ZooKeeper> listener) {
            this.curator = curator;
            this.listener = listener;
        }

        @Override
        public void process(WatchedEvent event) {
            ZooKeeper expired = handle;
            if (event.getState() == Event.KeeperState.Expired && expired != null) {
                listener.accept(expired);
            }
            curator.process(event);
        }
    }

    /** A handle of the library that says when it connected, and that can hang up without ending its session. */
    @SuppressWarnings("try") // That close() can be interrupted is the library's doing.
    static final class Handle extends ZooKeeper {
        private static final long LIMIT_MILLIS = 2000;
        private static final long TELL_AGAIN_MILLIS = 200;
        private static final int MOST_TIMES_TOLD = 10;

        private final Servers hosts;
        /** Set by whoever closes this first; completed when that is done. */
        private final AtomicReference<@Nullable CompletableFuture<Void>> ending = new AtomicReference<>();

        Handle(String connectString, int sessionTimeout, Watcher watcher, Servers hosts, ZKClientConfig config)
                throws IOException {
            // Never read-only: a server without a quorum must not answer us.
            super(connectString, sessionTimeout, watcher, false, hosts, config);
            this.hosts = hosts;
        }

        /** The newest connection was begun after this. */
        long connectedAfterNanos() {
            return hosts.connectedAfterNanos;
        }

        /**
         * Tells the servers that the session is over, if one of them hears it soon, and hangs up in any case. The library
         * itself would wait until it takes the connection for broken, which is two thirds of a session.
         *
         * <p>The library's own method waits inside a monitor. This one waits without: the caller may be a virtual thread,
         * which would keep its carrier, and whoever else closes this handle waits for the same end.
         */
        @Override
        @SuppressWarnings("UnsynchronizedOverridesSynchronized") // For the reason above.
        public void close() throws InterruptedException {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            CompletableFuture<Void> earlier = ending.compareAndExchange(null, ended);
            if (earlier == null) {
                endSession(ended);
            }
            try {
                (earlier == null ? ended : earlier).get();
            } catch (ExecutionException never) {
                throw new IllegalStateException(never);
            }
        }

        private void endSession(CompletableFuture<Void> ended) {
            if (getSessionId() == 0 || !getState().isAlive()) {
                // No server has ever answered, or all is over: nothing is to be ended, and nobody is there to be told.
                abandon();
                ended.complete(null);
                return;
            }
            // Our own timers may have ended by now; the JDK's common one has not.
            CompletableFuture<Void> limit = CompletableFuture.runAsync(
                    this::abandon, CompletableFuture.delayedExecutor(LIMIT_MILLIS, TimeUnit.MILLISECONDS));
            Thread closing = new Thread(
                    () -> {
                        try {
                            cnxn.close();
                        } catch (IOException unheard) {
                            // The session times out.
                        } finally {
                            limit.cancel(false);
                            ended.complete(null);
                        }
                    },
                    "holdfast-zookeeper-close");
            closing.setDaemon(true);
            try {
                closing.start();
            } catch (OutOfMemoryError noThread) {
                // Then the session has to time out.
                limit.cancel(false);
                abandon();
                ended.complete(null);
            }
        }

        /**
         * Hangs up. The servers keep the session, and what belongs to it, until it times out.
         *
         * <p>A connection that is established in the same moment makes the library forget that it was told to hang up, and it
         * waits for its own end for ever. Told again, it hangs up.
         */
        void abandon() {
            CountDownLatch hungUp = new CountDownLatch(1);
            try {
                for (int i = 0; i < MOST_TIMES_TOLD; i++) {
                    tellToHangUp(hungUp);
                    if (hungUp.await(TELL_AGAIN_MILLIS, TimeUnit.MILLISECONDS)) {
                        return;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void tellToHangUp(CountDownLatch hungUp) {
            Runnable telling = () -> {
                cnxn.disconnect();
                hungUp.countDown();
            };
            Thread thread = new Thread(telling, "holdfast-zookeeper-close");
            thread.setDaemon(true);
            try {
                thread.start();
            } catch (OutOfMemoryError noThread) {
                telling.run();
            }
        }
    }

    /** The list of servers, and when the library last asked for one of them. */
    static class Servers implements HostProvider {
        private static final long LONGEST_PAUSE_NANOS = 100_000_000;

        private final StaticHostProvider hosts;
        private final LongSupplier nanoTime;
        private volatile long soughtNanos;
        private volatile long connectedAfterNanos;
        private final BooleanSupplier holding;
        // Read and written by the thread of the library that connects.
        private boolean wasConnected;
        private boolean interrupted;

        Servers(String connectString, LongSupplier nanoTime, BooleanSupplier holding) {
            this.holding = holding;
            this.hosts = new StaticHostProvider(new ConnectStringParser(connectString).getServerAddresses());
            this.nanoTime = nanoTime;
            this.soughtNanos = nanoTime.getAsLong();
            this.connectedAfterNanos = soughtNanos;
        }

        @Override
        public int size() {
            return hosts.size();
        }

        @Override
        public InetSocketAddress next(long spinDelay) {
            // Before the library connects: the server, and behind it the leader, hear of the session later than this.
            soughtNanos = nanoTime.getAsLong();
            if (interrupted) {
                // The library has not slept, so the interrupt is still there. It must not disturb anything else.
                interrupted = false;
                Thread.interrupted();
            }
            if (!wasConnected) {
                return hosts.next(spinDelay);
            }
            // At once after a connection that stood: the servers may have ended the session, and only a new connection
            // tells. The pause that we are asked for is for servers that are down.
            wasConnected = false;
            InetSocketAddress next = hosts.next(0);
            if (holding.getAsBoolean()) {
                skipSleep();
            }
            return next;
        }

        /**
         * Before each connection but the first the library sleeps for up to a second, so that the clients of a server that
         * goes down do not all come to the next one at once. There is no setting for it. Who holds a lock cannot wait that
         * long: its session may be over, and somebody else have the lock. An interrupt ends that sleep; the library logs it
         * and goes on. A shorter pause takes its place.
         */
        private void skipSleep() {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
            interrupted = true;
            Thread.currentThread().interrupt();
        }

        @Override
        public void onConnected() {
            // Only now: an attempt that is still under way proves nothing.
            connectedAfterNanos = soughtNanos;
            wasConnected = true;
            hosts.onConnected();
        }

        @Override
        public boolean updateServerList(Collection<InetSocketAddress> addresses, InetSocketAddress current) {
            return hosts.updateServerList(addresses, current);
        }
    }
}
