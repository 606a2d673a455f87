package dev.holdfast.proving.subject;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.proving.check.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
        return store == Store.POSTGRES ? "shedlock-jdbc" : store.idOf("shedlock-redis");
    }

    @Override
    public String title() {
        return switch (store) {
            case POSTGRES -> "ShedLock, JDBC";
            case REDIS -> "ShedLock, Redis";
            default -> "ShedLock, " + store.title();
        };
    }

    @Override
    public String version() {
        return Versions.of(LockProvider.class);
    }

    @Override
    public String setUp() {
        return (store == Store.POSTGRES
                        ? "JdbcTemplateLockProvider with usingDbTime() over a pool (HikariCP, 4 connections, socketTimeout 5 s)"
                        : "RedisLockProvider over LettuceConnectionFactory, safeUpdate at its default (off)")
                + ", lockAtMostFor set to the lease; asked every 50 ms; held for less than lockAtMostFor, and trusted for that";
    }

    @Override
    public Promise promise() {
        Promise promise = Promise.of(
                        "\"Makes sure that your scheduled tasks are executed at most once at the same time\"; a task"
                                + " longer than lockAtMostFor may mean that \"more than one process will effectively hold the lock\"")
                .not("it has no notice", Rule.SILENT_LOSS, Rule.LATE_NOTICE)
                .not("it has no token", Rule.LOST_WRITE)
                .notAfter(
                        Outages.PAUSES,
                        "its documents say what follows from a task longer than lockAtMostFor",
                        Rule.OVERLAP)
                .notAfter(Outages.SERVER_CLOCKS, Outages.CLOCK_EXCUSE, Rule.OVERLAP);
        return store == Store.POSTGRES
                ? promise
                : promise.notAfter(
                                Stream.of(Outages.FORGETS, Outages.FAILOVERS)
                                        .flatMap(Set::stream)
                                        .collect(Collectors.toSet()),
                                "its documents: on Redis it \"may not be reliable in case of Redis master failure\"",
                                Rule.OVERLAP)
                        .notAfter(
                                Set.of("client-clock-jump"),
                                "its documents: it \"assumes that clocks on the nodes are synchronized\"",
                                Rule.OVERLAP);
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
        return "job-lock:default:" + name;
    }

    @Override
    public LockClient connect(Target target) {
        if (store != Store.POSTGRES) {
            LettuceConnectionFactory factory = RedisTopology.springConnection(store, target);
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
