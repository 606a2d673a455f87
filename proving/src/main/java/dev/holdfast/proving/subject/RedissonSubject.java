package dev.holdfast.proving.subject;

import dev.holdfast.proving.check.Rule;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RLock or RFencedLock, renewed by its watchdog. */
record RedissonSubject(Store store, boolean fenced) implements Subject {
    @Override
    public String id() {
        return store.idOf(fenced ? "redisson-fenced" : "redisson-lock");
    }

    @Override
    public String title() {
        return store.titleOf(fenced ? "Redisson RFencedLock" : "Redisson RLock");
    }

    @Override
    public String version() {
        return Versions.of(Redisson.class);
    }

    @Override
    public String setUp() {
        String servers = switch (store) {
            case SENTINEL -> "useSentinelServers()";
            case CLUSTER -> "useClusterServers()";
            default -> "useSingleServer()";
        };
        return servers + ", lockWatchdogTimeout set to the lease, else all defaults; "
                + (fenced ? "tryLockAndGetToken" : "tryLock") + " with renewal; asked by isHeldByCurrentThread()";
    }

    @Override
    public Promise promise() {
        Promise promise = Promise.of(sentence())
                .not("its documents mention no notice but unlock(), which throws", Rule.LATE_NOTICE)
                .notAfter(
                        Outages.PAUSES,
                        "its documents say that a client can be \"delayed due to long GC pause or other reason and can't detect that it doesn't own the"
                                + " lock anymore\"",
                        Rule.OVERLAP)
                .notAfter(Outages.SERVER_CLOCKS, Outages.CLOCK_EXCUSE, Rule.OVERLAP)
                .notAfter(
                        Outages.FORGETS,
                        "its documents do not say what holds over a server that forgets",
                        Rule.OVERLAP,
                        Rule.TOKEN_ORDER);
        return fenced
                ? promise
                : promise.not(
                        "it has no token; its documents point to RFencedLock for resources that must be guarded",
                        Rule.LOST_WRITE);
    }

    private String sentence() {
        return "The watchdog \"prolongs lock expiration while lock holder Redisson instance is alive\""
                + (fenced ? "; a client that resumes with a stale token \"is fenced out\"" : "")
                + (store == Store.REDIS
                        ? ""
                        : "; \"a client never keeps a lock that was not safely replicated and could later be lost to a failover\"");
    }

    @Override
    public boolean renews() {
        return true;
    }

    @Override
    public boolean hasTokens() {
        return fenced;
    }

    /** One server. */
    static RedissonClient client(String url, Duration lease) {
        return client(lease, config -> config.useSingleServer().setAddress(url));
    }

    private static RedissonClient client(Duration lease, Consumer<Config> servers) {
        Config config = new Config();
        config.setLockWatchdogTimeout(lease.toMillis());
        servers.accept(config);
        return Redisson.create(config);
    }

    @Override
    public LockClient connect(Target target) {
        String[] urls = target.urls("redis").toArray(String[]::new);
        RedissonClient client = switch (store) {
            case SENTINEL ->
                client(
                        target.lease(),
                        config -> config.useSentinelServers()
                                .setMasterName(RedisTopology.MASTER)
                                .addSentinelAddress(urls));
            case CLUSTER ->
                client(target.lease(), config -> config.useClusterServers().addNodeAddress(urls));
            default -> client(urls[0], target.lease());
        };
        return new Client(client, fenced);
    }

    private record Client(RedissonClient redisson, boolean fenced) implements LockClient {
        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws InterruptedException {
            if (fenced) {
                RFencedLock lock = redisson.getFencedLock(name);
                // Without a limit it blocks for as long as the lock is busy, so a limit is always given.
                Long token = lock.tryLockAndGetToken(Math.max(1, maxWait.toMillis()), TimeUnit.MILLISECONDS);
                return token == null ? Optional.empty() : Optional.of(new Held(lock, OptionalLong.of(token)));
            }
            RLock lock = redisson.getLock(name);
            boolean got = maxWait.isZero() ? lock.tryLock() : lock.tryLock(maxWait.toMillis(), TimeUnit.MILLISECONDS);
            return got ? Optional.of(new Held(lock, OptionalLong.empty())) : Optional.empty();
        }

        @Override
        public void close() {
            redisson.shutdown();
        }
    }

    /** Belongs to the thread that acquired it. */
    record Held(RLock lock, OptionalLong token) implements HeldLock {
        @Override
        public Belief belief() {
            return lock.isHeldByCurrentThread() ? Belief.HELD : Belief.LOST;
        }

        @Override
        public boolean release() {
            try {
                lock.unlock();
                return true;
            } catch (IllegalMonitorStateException notOurs) {
                return false;
            }
        }
    }
}
