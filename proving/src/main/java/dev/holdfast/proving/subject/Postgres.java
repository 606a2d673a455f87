package dev.holdfast.proving.subject;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** The pool that everybody on PostgreSQL has. */
final class Postgres {
    private Postgres() {}

    static HikariDataSource pool(Target target) {
        HikariConfig config = new HikariConfig();
        // Without a socket timeout the driver waits for ever for a server that is cut off, whatever is above it.
        config.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + target.ports().get(0)
                + "/postgres?user=postgres&connectTimeout=5&socketTimeout=5&loginTimeout=5");
        config.setMaximumPoolSize(4);
        config.setConnectionTimeout(5_000);
        return new HikariDataSource(config);
    }
}
