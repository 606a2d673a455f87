package dev.holdfast.benchmarks.failover;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.redis.RedisBackend;
import java.sql.Connection;
import java.time.Duration;
import javax.sql.DataSource;

/** All defaults, and writes guarded by token. */
final class HoldfastContestant implements Contestant {
    static final String NAME = "Holdfast";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Holdfast holdfast;
    private final DataSource accounts;

    HoldfastContestant(String url, DataSource accounts) {
        this.holdfast = Holdfast.over(RedisBackend.connect(url));
        this.accounts = accounts;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Section enter(String lock) throws Exception {
        return new Guarded(holdfast.lock(lock).acquire(PATIENCE), SqlFence.of(lock), accounts);
    }

    @Override
    public void close() {
        holdfast.close();
    }

    private record Guarded(Lease lease, SqlFence fence, DataSource accounts) implements Section {
        @Override
        public long read() throws Exception {
            return inTransaction(connection -> {
                fence.announce(connection, lease.token());
                return Accounts.read(connection, lease.name());
            });
        }

        @Override
        public void write(long value) throws Exception {
            var unused = inTransaction(connection -> {
                fence.check(connection, lease.token());
                Accounts.write(connection, lease.name(), value);
                return value;
            });
        }

        private long inTransaction(Work work) throws Exception {
            try (Connection connection = accounts.getConnection()) {
                connection.setAutoCommit(false);
                try {
                    long result = work.with(connection);
                    connection.commit();
                    return result;
                } finally {
                    connection.rollback();
                    connection.setAutoCommit(true);
                }
            }
        }

        @Override
        public void leave() throws Exception {
            lease.close();
        }
    }

    private interface Work {
        long with(Connection connection) throws Exception;
    }
}
