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
    @Override
    public String id() {
        return store == Store.REDIS ? "spring-redis" : "spring-jdbc";
    }

    @Override
    public String title() {
        return store == Store.REDIS ? "Spring RedisLockRegistry" : "Spring JdbcLockRegistry";
    }

    @Override
    public String version() {
        return Versions.of(store == Store.REDIS ? RedisLockRegistry.class : JdbcLockRegistry.class);
    }

    @Override
    public String setUp() {
        return store == Store.REDIS
                ? "over LettuceConnectionFactory, PUB_SUB_LOCK, expireAfter set to the lease, else all defaults (no renewal)"
                : "DefaultLockRepository over a pool (HikariCP, 4 connections, socketTimeout 5 s), the time to live of the registry set to the lease, else all"
                        + " defaults (no renewal)";
    }

    @Override
    public Promise promise() {
        return Promise.of(
                        "A lock that expires; unlock() of an expired one fails, which is \"a critical error because it is possible the protected"
                                + " resources were compromised\"")
                .not("it has no notice but the failing unlock()", Rule.SILENT_LOSS, Rule.LATE_NOTICE)
                .not("it has no token", Rule.LOST_WRITE)
                .notAfter(
                        Outages.PAUSES,
                        "its documents say that a lock which outlives its time to live is another's",
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
    public LockClient connect(Target target) {
        if (store == Store.REDIS) {
            LettuceConnectionFactory factory = SpringRedis.connect(target);
            RedisLockRegistry registry = new RedisLockRegistry(factory, "prove", target.lease());
            registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
            return new Client(registry, factory::destroy);
        }
        HikariDataSource pool = Postgres.pool(target);
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new DataSourceTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        return new Client(new JdbcLockRegistry(repository, target.lease()), pool::close);
    }

    private record Client(LockRegistry<? extends Lock> registry, Runnable closing) implements LockClient {
        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws InterruptedException {
            Lock lock = registry.obtain(name);
            boolean got = maxWait.isZero() ? lock.tryLock() : lock.tryLock(maxWait.toMillis(), TimeUnit.MILLISECONDS);
            return got ? Optional.of(new Held(lock)) : Optional.empty();
        }

        @Override
        public void close() {
            closing.run();
        }
    }

    private record Held(Lock lock) implements HeldLock {
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
