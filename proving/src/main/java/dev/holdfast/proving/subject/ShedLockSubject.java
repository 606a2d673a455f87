package dev.holdfast.proving.subject;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.proving.check.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock. It does not wait, so whoever wants the lock asks again. */
record ShedLockSubject(Store store) implements Subject {
    @Override
    public String id() {
        return store == Store.REDIS ? "shedlock-redis" : "shedlock-jdbc";
    }

    @Override
    public String title() {
        return store == Store.REDIS ? "ShedLock, Redis" : "ShedLock, JDBC";
    }

    @Override
    public String version() {
        return Versions.of(LockProvider.class);
    }

    @Override
    public String setUp() {
        return (store == Store.REDIS
                        ? "RedisLockProvider over LettuceConnectionFactory"
                        : "JdbcTemplateLockProvider with usingDbTime() over a pool (HikariCP, 4 connections, socketTimeout 5 s)")
                + ", lockAtMostFor set to the lease; asked every 50 ms; trusted for lockAtMostFor";
    }

    @Override
    public Promise promise() {
        return Promise.of(
                        "\"If the task takes longer than lockAtMostFor the resulting behavior may be unpredictable (more than one process will"
                                + " effectively hold the lock)\"")
                .not("it has no notice", Rule.SILENT_LOSS, Rule.LATE_NOTICE)
                .not("it has no token", Rule.LOST_WRITE)
                .not("it asks and does not wait, so nobody is promised a turn", Rule.STUCK)
                .notAfter(
                        Outages.PAUSES,
                        "its documents say what follows from a task longer than lockAtMostFor",
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
            return new Client(new RedisLockProvider(factory), target.lease(), factory::destroy);
        }
        HikariDataSource pool = Postgres.pool(target);
        return new Client(
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(pool))
                        .usingDbTime()
                        .build()),
                target.lease(),
                pool::close);
    }

    private record Client(LockProvider provider, Duration lease, Runnable closing) implements LockClient {
        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws Exception {
            return Waits.polling(maxWait, () -> {
                long asked = System.nanoTime();
                return provider.lock(new LockConfiguration(Instant.now(), name, lease, Duration.ZERO))
                        .map(lock -> new Held(lock, asked + lease.toNanos()));
            });
        }

        @Override
        public void close() {
            closing.run();
        }
    }

    private record Held(SimpleLock lock, long until) implements HeldLock {
        @Override
        public Belief belief() {
            return Belief.until(until);
        }

        @Override
        public boolean release() {
            lock.unlock();
            return true;
        }
    }
}
