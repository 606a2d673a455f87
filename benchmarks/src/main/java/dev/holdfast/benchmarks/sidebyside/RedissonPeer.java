package dev.holdfast.benchmarks.sidebyside;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** @param fenced RFencedLock instead of RLock */
record RedissonPeer(String name, boolean fenced) implements Peer {
    // Redisson tells holders apart by thread; asynchronous callers make numbers up.
    private static final AtomicLong CALLERS = new AtomicLong(1_000_000);

    @Override
    public String setUp() {
        return "useSingleServer(), all defaults, " + (fenced ? "lockAndGetToken()" : "lock()") + " with renewal";
    }

    @Override
    public Client connect(List<String> urls) {
        return new RedissonLocks(single(urls.get(0)), fenced);
    }

    static RedissonClient single(String url) {
        Config config = new Config();
        config.useSingleServer().setAddress(url);
        return Redisson.create(config);
    }

    private record RedissonLocks(RedissonClient redisson, boolean fenced) implements Client {
        @Override
        public Held lock(String name) {
            if (fenced) {
                var lock = redisson.getFencedLock(name);
                var unused = lock.lockAndGetToken();
                return lock::unlock;
            }
            RLock lock = redisson.getLock(name);
            lock.lock();
            return lock::unlock;
        }

        @Override
        public CompletableFuture<Held> lockAsync(String name) {
            RLock lock = redisson.getLock(name);
            long caller = CALLERS.incrementAndGet();
            return lock.lockAsync(caller).toCompletableFuture().thenApply(held -> new HeldAsync(lock, caller));
        }

        @Override
        public void close() {
            redisson.shutdown();
        }
    }

    private record HeldAsync(RLock lock, long caller) implements Held {
        @Override
        public void unlock() throws Exception {
            unlockAsync().get();
        }

        @Override
        public CompletableFuture<?> unlockAsync() {
            return lock.unlockAsync(caller).toCompletableFuture();
        }
    }
}
