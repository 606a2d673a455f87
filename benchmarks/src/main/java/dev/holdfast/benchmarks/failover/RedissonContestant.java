package dev.holdfast.benchmarks.failover;

import java.sql.Connection;
import javax.sql.DataSource;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** All defaults. An RLock has no token, so nothing guards the writes. */
final class RedissonContestant implements Contestant {
    static final String NAME = "Redisson RLock";

    private final RedissonClient redisson;
    private final DataSource accounts;

    RedissonContestant(Config config, DataSource accounts) {
        this.redisson = Redisson.create(config);
        this.accounts = accounts;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Section enter(String name) {
        RLock lock = redisson.getLock(name);
        lock.lock();
        return new Unguarded(lock, accounts);
    }

    @Override
    public void close() {
        redisson.shutdown();
    }

    private record Unguarded(RLock lock, DataSource accounts) implements Section {
        @Override
        public long read() throws Exception {
            try (Connection connection = accounts.getConnection()) {
                return Accounts.read(connection, lock.getName());
            }
        }

        @Override
        public void write(long value) throws Exception {
            try (Connection connection = accounts.getConnection()) {
                Accounts.write(connection, lock.getName(), value);
            }
        }

        @Override
        public void leave() {
            lock.unlock();
        }
    }
}
