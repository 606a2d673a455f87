package dev.holdfast.jdbc.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

/**
 * Connections that are borrowed from a DataSource of the user, which is never closed here. Closing waits until they are all
 * back, because the user closes the pool next, and a pool can lose for good what is out at that moment.
 */
public final class DataSourceConnections implements ConnectionSource {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final DataSource dataSource;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition allBack = lock.newCondition();
    // Guarded by the lock. Who asks the pool counts already: it may get one at any moment.
    private int out;

    public DataSourceConnections(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    @Override
    public Connection take() throws SQLException {
        count(1);
        boolean taken = false;
        try {
            Connection connection = dataSource.getConnection();
            taken = true;
            return connection;
        } finally {
            if (!taken) {
                count(-1);
            }
        }
    }

    @Override
    public void giveBack(Connection connection) throws SQLException {
        try {
            connection.close();
        } finally {
            count(-1);
        }
    }

    private void count(int change) {
        lock.lock();
        try {
            out += change;
            if (out == 0) {
                allBack.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits for what is out, but not for ever: a statement may hang. */
    @Override
    public void close() {
        lock.lock();
        try {
            long left = PATIENCE_NANOS;
            while (out > 0 && left > 0) {
                left = allBack.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
