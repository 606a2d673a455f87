package dev.holdfast.examples.orders;

import dev.holdfast.spring.Busy;
import dev.holdfast.spring.Locked;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Runs on every machine, and reports on one of them. */
@Component
class StockReport {
    private static final Logger LOG = LoggerFactory.getLogger(StockReport.class);

    private final JdbcTemplate database;

    StockReport(JdbcTemplate database) {
        this.database = database;
    }

    @Scheduled(fixedRateString = "${report.every:60s}")
    @Locked(name = "stock-report", busy = Busy.SKIP, atLeast = "${report.at-least:30s}")
    public void report() {
        database.update("INSERT INTO report (reported_at) VALUES (now())");
        LOG.info("{} orders", database.queryForObject("SELECT count(*) FROM orders", Long.class));
    }
}
