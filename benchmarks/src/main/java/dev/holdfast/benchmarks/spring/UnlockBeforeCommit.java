package dev.holdfast.benchmarks.spring;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.spring.EnableLocking;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/**
 * Counts the updates that are lost when a lock is given back before the commit. Sixteen threads add one to a number in PostgreSQL, each
 * time in a transaction under a lock in Redis. What the number is short of the calls was lost.
 */
public final class UnlockBeforeCommit {
    private static final int THREADS = 16;
    private static final int CALLS = 2_000;
    private static final int ROUNDS = 3;

    private UnlockBeforeCommit() {}

    /** Everything of an ordinary application: nothing sets an order of advice. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @EnableAspectJAutoProxy
    @EnableLocking
    static class Application {
        @Bean(destroyMethod = "close")
        RedisServer redis() {
            return RedisServer.embedded().start();
        }

        @Bean(destroyMethod = "close")
        EmbeddedPostgres postgres() throws IOException {
            return EmbeddedPostgres.start();
        }

        @Bean(destroyMethod = "close")
        HikariDataSource dataSource(EmbeddedPostgres postgres) {
            HikariConfig config = new HikariConfig();
            config.setDataSource(postgres.getPostgresDatabase());
            config.setMaximumPoolSize(THREADS);
            return new HikariDataSource(config);
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean(destroyMethod = "close")
        Holdfast holdfast(RedisServer redis) {
            return Holdfast.over(RedisBackend.connect(redis.url()));
        }

        @Bean(destroyMethod = "shutdown")
        RedissonClient redisson(RedisServer redis) {
            Config config = new Config();
            config.useSingleServer().setAddress(redis.url());
            return Redisson.create(config);
        }

        @Bean
        RedissonLockAspect redissonLockAspect(RedissonClient redisson) {
            return new RedissonLockAspect(redisson);
        }

        @Bean
        Counter counter(DataSource dataSource) {
            JdbcTemplate jdbc = new JdbcTemplate(dataSource);
            jdbc.execute("CREATE TABLE counter (value INT NOT NULL)");
            jdbc.execute("INSERT INTO counter VALUES (0)");
            return new Counter(jdbc);
        }
    }

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        try (AnnotationConfigApplicationContext spring = new AnnotationConfigApplicationContext(Application.class)) {
            Counter counter = spring.getBean(Counter.class);
            for (int round = 1; round <= ROUNDS; round++) {
                int lostByAspect = lost(counter, counter::addUnderRedisson);
                int lostByLocked = lost(counter, counter::addUnderLocked);
                System.out.printf(
                        "round %d, %d calls by %d threads: lost with the Redisson aspect %d, with @Locked %d%n",
                        round, CALLS, THREADS, lostByAspect, lostByLocked);
                if (lostByLocked != 0) {
                    throw new IllegalStateException("@Locked has lost updates");
                }
            }
        }
    }

    private static int lost(Counter counter, Runnable add) throws Exception {
        counter.reset();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                calls.add(threads.submit(add));
            }
            for (Future<?> call : calls) {
                call.get();
            }
        } finally {
            threads.shutdown();
        }
        return CALLS - counter.value();
    }
}
