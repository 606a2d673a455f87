package dev.holdfast.proving.subject;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.proving.check.Rule;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Spring Integration's lock registries. */
record SpringIntegrationSubject(Store store) implements Subject {
    private static final String REGISTRY = "prove";

    @Override
    public String id() {
        return store == Store.POSTGRES ? "spring-jdbc" : store.idOf("spring-redis");
    }

    @Override
    public String title() {
        return store == Store.POSTGRES ? "Spring JdbcLockRegistry" : store.titleOf("Spring RedisLockRegistry");
    }

    @Override
    public String version() {
        return Versions.of(store == Store.POSTGRES ? JdbcLockRegistry.class : RedisLockRegistry.class);
    }

    @Override
    public String setUp() {
        return (store == Store.POSTGRES
                        ? "DefaultLockRepository over a pool (HikariCP, 4 connections, socketTimeout 5 s), the time to live of the registry set to the"
                                + " lease, else all defaults (there is no automatic renewal)"
                        : "over LettuceConnectionFactory, PUB_SUB_LOCK, expireAfter set to the lease, else all defaults (renewal is optional and off)")
                + "; held for less than its time to live, and trusted for that, counted from the answer";
    }

    @Override
    public Promise promise() {
        return Promise.of(
                        store == Store.POSTGRES
                                ? "A lock that expires; unlock() \"throws ConcurrentModificationException if the ownership of the lock is expired\""
                                : "A lock that expires; unlock() of an expired one fails, which is \"a critical error because it is possible the"
                                        + " protected resources were compromised\"")
                .not("it has no notice but the failing unlock()", Rule.LATE_NOTICE)
                .not("it has no token", Rule.LOST_WRITE)
                .notAfter(
                        Outages.PAUSES,
                        "its documents say that locks expire, and what must be done if the work takes longer",
                        Rule.OVERLAP)
                .notAfter(
                        Outages.FAILOVERS,
                        "its documents say nothing about failovers, and Redis says that replication is asynchronous",
                        Rule.OVERLAP)
                .notAfter(Outages.SERVER_CLOCKS, Outages.CLOCK_EXCUSE, Rule.OVERLAP)
                .notAfter(Outages.FORGETS, "nobody promises exclusion over a server that forgets", Rule.OVERLAP);
    }

    @Override
    public boolean renews() {
        return false;
    }

    @Override
    public boolean hasTokens() {
        return false;
    }

    @Override
    public String redisKey(String name) {
        return REGISTRY + ":" + name;
    }

    @Override
    public LockClient connect(Target target) {
        if (store != Store.POSTGRES) {
            LettuceConnectionFactory factory = RedisTopology.springConnection(store, target);
            RedisLockRegistry registry = new RedisLockRegistry(factory, REGISTRY, target.lease());
            registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
            return new Client(registry, target.lease(), factory::destroy);
        }
        HikariDataSource pool = Postgres.pool(target);
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new DataSourceTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        return new Client(new JdbcLockRegistry(repository, target.lease()), target.lease(), pool::close);
    }

    private record Client(LockRegistry<? extends Lock> registry, Duration lease, Runnable closing)
            implements LockClient {
        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws InterruptedException {
            Lock lock = registry.obtain(name);
            boolean got = maxWait.isZero() ? lock.tryLock() : lock.tryLock(maxWait.toMillis(), TimeUnit.MILLISECONDS);
            return got ? Optional.of(new Held(lock, System.nanoTime() + lease.toNanos())) : Optional.empty();
        }

        @Override
        public void close() {
            closing.run();
        }
    }

    private record Held(Lock lock, long until) implements HeldLock {
        @Override
        public Belief belief() {
            return Belief.until(until);
        }

        @Override
        public boolean release() {
            try {
                lock.unlock();
                return true;
            } catch (ConcurrentModificationException | IllegalStateException expired) {
                return false;
            }
        }
    }
}
