package dev.holdfast.benchmarks.failover;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/** Rows that sections read, and then overwrite with one more. In a database that no failover touches. */
final class Accounts implements AutoCloseable {
    private final JdbcConnectionPool pool =
            JdbcConnectionPool.create("jdbc:h2:mem:failover;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000", "sa", "");

    Accounts() throws SQLException {
        pool.setMaxConnections(50);
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("create table account (name varchar(100) primary key, total bigint not null)");
        }
    }

    DataSource dataSource() {
        return pool;
    }

    void open(String account) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement insert = connection.prepareStatement("insert into account values (?, 0)")) {
            insert.setString(1, account);
            insert.executeUpdate();
        }
    }

    long total(String account) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return read(connection, account);
        }
    }

    static long read(Connection connection, String account) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement("select total from account where name = ?")) {
            select.setString(1, account);
            try (ResultSet row = select.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    static void write(Connection connection, String account, long total) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("update account set total = ? where name = ?")) {
            update.setLong(1, total);
            update.setString(2, account);
            update.executeUpdate();
        }
    }

    @Override
    public void close() {
        pool.dispose();
    }
}
