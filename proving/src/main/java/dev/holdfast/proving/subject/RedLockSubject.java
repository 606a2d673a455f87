package dev.holdfast.proving.subject;

import dev.holdfast.proving.check.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Deprecated by its makers, and still what people find when they look for Redlock in Java. */
final class RedLockSubject implements Subject {
    @Override
    public String id() {
        return "redisson-redlock";
    }

    @Override
    public String title() {
        return "Redisson RedLock";
    }

    @Override
    public Store store() {
        return Store.QUORUM;
    }

    @Override
    public String version() {
        return Versions.of(Redisson.class);
    }

    @Override
    public String setUp() {
        return "RedissonRedLock over the RLocks of one client per server, lockWatchdogTimeout set to the lease, else all defaults";
    }

    @Override
    public Promise promise() {
        return Promise.of(
                        "Redlock, of which Redis says that exclusion is \"guaranteed only as long as the client holding the lock terminates"
                                + " its work within the lock validity time\", renewed by a watchdog; deprecated, its \"safety guarantees are contested\"")
                .not("its documents do not say what unlock() of a lost lock does", Rule.SILENT_LOSS, Rule.LATE_NOTICE)
                .not("it has no token", Rule.LOST_WRITE)
                .notAfter(
                        Outages.PAUSES,
                        "Redis on Redlock: do not \"assume that a lock is retained as long as the process that had acquired it is alive\"",
                        Rule.OVERLAP)
                .notAfter(
                        Outages.FORGETS,
                        "Redis on Redlock: after a restart without its data \"another client can lock it again\"",
                        Rule.OVERLAP)
                .notAfter(
                        Outages.SERVER_CLOCKS,
                        "Redis on Redlock: \"a wall-clock shift may result in a lock being acquired by more than one process\"",
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
    public LockClient connect(Target target) {
        return new Client(target.urls("redis").stream()
                .map(url -> RedissonSubject.client(url, target.lease()))
                .toList());
    }

    private record Client(List<RedissonClient> all) implements LockClient {
        @Override
        @SuppressWarnings("deprecation") // There is no other.
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws InterruptedException {
            RLock[] locks = all.stream().map(each -> each.getLock(name)).toArray(RLock[]::new);
            RLock lock = new RedissonRedLock(locks);
            boolean got = maxWait.isZero() ? lock.tryLock() : lock.tryLock(maxWait.toMillis(), TimeUnit.MILLISECONDS);
            return got ? Optional.of(new Held(lock)) : Optional.empty();
        }

        @Override
        public void close() {
            all.forEach(RedissonClient::shutdown);
        }
    }

    /** It cannot be asked: isHeldByCurrentThread() is not supported. */
    private record Held(RLock lock) implements HeldLock {
        @Override
        public OptionalLong token() {
            return OptionalLong.empty();
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
