package dev.holdfast.benchmarks.sidebyside;

import java.net.URI;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** @param told whether waiters are told by publish and subscribe, or ask every 100 ms */
record SpringPeer(String name, boolean told) implements Peer {
    @Override
    public String setUp() {
        return "RedisLockRegistry over LettuceConnectionFactory, " + (told ? "PUB_SUB_LOCK" : "SPIN_LOCK")
                + ", else all defaults (no renewal)";
    }

    @Override
    public Client connect(List<String> urls) {
        URI url = URI.create(urls.get(0));
        LettuceConnectionFactory factory =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(url.getHost(), url.getPort()));
        factory.afterPropertiesSet();
        factory.start();
        RedisLockRegistry registry = new RedisLockRegistry(factory, "bench");
        registry.setRedisLockType(told ? RedisLockType.PUB_SUB_LOCK : RedisLockType.SPIN_LOCK);
        return new SpringClient(factory, registry);
    }

    private record SpringClient(LettuceConnectionFactory factory, RedisLockRegistry registry) implements Client {
        @Override
        public Held lock(String name) {
            Lock lock = registry.obtain(name);
            lock.lock();
            return lock::unlock;
        }

        @Override
        public void close() {
            registry.destroy();
            factory.destroy();
        }
    }
}
