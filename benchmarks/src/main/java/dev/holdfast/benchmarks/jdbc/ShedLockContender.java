package dev.holdfast.benchmarks.jdbc;

import dev.holdfast.benchmarks.Contender;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock does not wait, so it takes part only where nobody has to. */
final class ShedLockContender implements Contender {
    private final JdbcTemplateLockProvider provider;

    ShedLockContender(DataSource dataSource) {
        provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(dataSource))
                .usingDbTime()
                .build());
    }

    @Override
    public String name() {
        return "ShedLock";
    }

    @Override
    public Runnable lock(String name) {
        SimpleLock lock = provider.lock(
                        new LockConfiguration(Instant.now(), name, Duration.ofSeconds(30), Duration.ZERO))
                .orElseThrow(() -> new IllegalStateException("busy: " + name));
        return lock::unlock;
    }

    @Override
    public void close() {}
}
