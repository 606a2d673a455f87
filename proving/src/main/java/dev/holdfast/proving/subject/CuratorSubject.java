package dev.holdfast.proving.subject;

import dev.holdfast.proving.check.Rule;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's InterProcessMutex, with the listener for the connection that its documents strongly recommend. */
final class CuratorSubject implements Subject {
    private static final int CONNECTION_MILLIS = 2_000;

    @Override
    public String id() {
        return "curator";
    }

    @Override
    public String title() {
        return "Curator InterProcessMutex";
    }

    @Override
    public Store store() {
        return Store.ZOOKEEPER;
    }

    @Override
    public String version() {
        return Versions.of(InterProcessMutex.class);
    }

    @Override
    public String setUp() {
        return "ExponentialBackoffRetry(1000, 3), the session timeout of the lease (their default is 60 s), a connection timeout of 2 s, a"
                + " ConnectionStateListener that takes SUSPENDED and LOST for the end of the lock";
    }

    @Override
    public Promise promise() {
        return Promise.of(
                        "\"at any snapshot in time no two clients think they hold the same lock\"; \"if a SUSPENDED state is reported you cannot be"
                                + " certain that you still hold the lock unless you subsequently receive a RECONNECTED state\"")
                .not("it has no token", Rule.LOST_WRITE)
                .notAfter(
                        Set.of("client-stop"),
                        "its Tech Note 10: after a pause longer than the session two clients \"will believe they are the lock holder\"",
                        Rule.OVERLAP);
    }

    @Override
    public boolean renews() {
        return true;
    }

    @Override
    public boolean hasTokens() {
        return false;
    }

    @Override
    public Duration freeAfter(Duration lease) {
        return lease.plusMillis(ZooKeeperTick.MILLIS);
    }

    @Override
    public LockClient connect(Target target) {
        CuratorFramework framework = CuratorFrameworkFactory.newClient(
                target.address(),
                (int) target.lease().toMillis(),
                CONNECTION_MILLIS,
                new ExponentialBackoffRetry(1000, 3));
        Client client = new Client(framework);
        framework.getConnectionStateListenable().addListener((unused, state) -> client.onState(state));
        framework.start();
        return client;
    }

    private static final class Client implements LockClient {
        private final CuratorFramework framework;
        private final AtomicReference<Held> holding = new AtomicReference<>();

        Client(CuratorFramework framework) {
            this.framework = framework;
        }

        void onState(ConnectionState state) {
            Held held = holding.get();
            if (held != null && (state == ConnectionState.SUSPENDED || state == ConnectionState.LOST)) {
                held.lost(state.name());
            }
        }

        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws Exception {
            InterProcessMutex mutex = new InterProcessMutex(framework, "/prove/" + name);
            if (!mutex.acquire(maxWait.toMillis(), TimeUnit.MILLISECONDS)) {
                return Optional.empty();
            }
            Held held = new Held(mutex);
            holding.set(held);
            return Optional.of(held);
        }

        @Override
        public void close() {
            framework.close();
        }
    }

    private static final class Held implements HeldLock {
        private final InterProcessMutex mutex;
        private final AtomicReference<String> lost = new AtomicReference<>();
        private volatile Consumer<String> callback = why -> {};

        Held(InterProcessMutex mutex) {
            this.mutex = mutex;
        }

        void lost(String why) {
            lost.set(why);
            callback.accept(why);
        }

        @Override
        public Belief belief() {
            return lost.get() == null && mutex.isAcquiredInThisProcess() ? Belief.HELD : Belief.LOST;
        }

        @Override
        public void onLost(Consumer<String> told) {
            callback = told;
        }

        @Override
        public boolean release() throws Exception {
            try {
                mutex.release();
                return lost.get() == null;
            } catch (IllegalMonitorStateException notOurs) {
                return false;
            }
        }
    }
}
