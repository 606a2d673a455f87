package dev.holdfast.proving.subject;

import dev.holdfast.proving.check.Rule;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's RLock or RFencedLock, renewed by its watchdog. */
record RedissonSubject(boolean fenced) implements Subject {
    @Override
    public String id() {
        return fenced ? "redisson-fenced" : "redisson-lock";
    }

    @Override
    public String title() {
        return fenced ? "Redisson RFencedLock" : "Redisson RLock";
    }

    @Override
    public Store store() {
        return Store.REDIS;
    }

    @Override
    public String version() {
        return Versions.of(Redisson.class);
    }

    @Override
    public String setUp() {
        return "useSingleServer(), lockWatchdogTimeout set to the lease, else all defaults; "
                + (fenced ? "tryLockAndGetToken" : "tryLock") + " with renewal; asked by isHeldByCurrentThread()";
    }

    @Override
    public Promise promise() {
        Promise promise = Promise.of(
                        "The watchdog \"prolongs lock expiration while lock holder Redisson instance is alive\""
                                + (fenced ? "; a token guards a resource against a stale holder" : ""))
                .not("its documents mention no notice of a lost lock", Rule.SILENT_LOSS, Rule.LATE_NOTICE)
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

    @Override
    public boolean renews() {
        return true;
    }

    @Override
    public boolean hasTokens() {
        return fenced;
    }

    static RedissonClient client(String url, Duration lease) {
        Config config = new Config();
        config.setLockWatchdogTimeout(lease.toMillis());
        config.useSingleServer().setAddress(url);
        return Redisson.create(config);
    }

    @Override
    public LockClient connect(Target target) {
        return new Client(client(target.url("redis"), target.lease()), fenced);
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
