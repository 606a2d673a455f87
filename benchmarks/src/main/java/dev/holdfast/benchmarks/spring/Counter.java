package dev.holdfast.benchmarks.spring;

import dev.holdfast.spring.Locked;
import java.util.Objects;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Reads a number and writes the next one, in one transaction, under a lock of either kind. */
class Counter {
    private final JdbcTemplate jdbc;

    Counter(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @RedissonLock("counter")
    @Transactional
    public void addUnderRedisson() {
        add();
    }

    @Locked(name = "counter", maxWait = "2m")
    @Transactional
    public void addUnderLocked() {
        add();
    }

    private void add() {
        jdbc.update("UPDATE counter SET value = ?", value() + 1);
    }

    /** What has been committed. */
    public int value() {
        return Objects.requireNonNull(jdbc.queryForObject("SELECT value FROM counter", Integer.class));
    }

    /** Starts over. */
    public void reset() {
        jdbc.update("UPDATE counter SET value = 0");
    }
}
