package dev.holdfast.benchmarks.jdbc;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.benchmarks.Contender;
import dev.holdfast.jdbc.JdbcBackend;
import javax.sql.DataSource;

final class HoldfastContender implements Contender {
    private final Holdfast holdfast;

    HoldfastContender(DataSource dataSource) {
        JdbcBackend.createTables(dataSource);
        holdfast = Holdfast.over(JdbcBackend.over(dataSource).connect());
    }

    @Override
    public String name() {
        return "Holdfast";
    }

    @Override
    public Runnable lock(String name) throws InterruptedException {
        Lease lease = holdfast.lock(name).acquire();
        return lease::close;
    }

    @Override
    public void close() {
        holdfast.close();
    }
}
