package dev.holdfast.benchmarks.sidebyside;

import java.util.List;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** Deprecated by its makers, and still what people find when they look for Redlock in Java. */
record RedissonRedLockPeer(String name) implements Peer {
    @Override
    public String setUp() {
        return "RedissonRedLock over the RLocks of one client per server, all defaults, lock() with renewal";
    }

    @Override
    public Client connect(List<String> urls) {
        return new RedLocks(urls.stream().map(RedissonPeer::single).toList());
    }

    private record RedLocks(List<RedissonClient> all) implements Client {
        @Override
        @SuppressWarnings("deprecation") // There is no other.
        public Held lock(String name) {
            RLock[] locks = all.stream().map(each -> each.getLock(name)).toArray(RLock[]::new);
            RLock lock = new RedissonRedLock(locks);
            lock.lock();
            return lock::unlock;
        }

        @Override
        public void close() {
            all.forEach(RedissonClient::shutdown);
        }
    }
}
