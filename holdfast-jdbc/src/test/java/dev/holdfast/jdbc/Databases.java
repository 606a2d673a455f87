package dev.holdfast.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** DataSources for tests. */
final class Databases {
    private static final ConcurrentHashMap<String, HikariDataSource> SHARED = new ConcurrentHashMap<>();

    private Databases() {}

    /** A new connection each time. */
    static DataSource unpooled(String url) {
        return new Source(() -> DriverManager.getConnection(url));
    }

    /** A pool as people have it, with short tempers. */
    static HikariDataSource pool(String url, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(1_000);
        return new HikariDataSource(config);
    }

    /** One pool for all clients of a process, as in an application. */
    static DataSource sharedPool(String url) {
        return SHARED.computeIfAbsent(url, each -> pool(each, 60));
    }

    /** The connection, but closing it does nothing: a pool that resets nothing. */
    static Connection unclosed(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Databases.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, arguments) -> {
                    try {
                        return method.getName().equals("close") ? null : method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    interface Supplier {
        Connection get() throws SQLException;
    }

    /** A DataSource that is only that. */
    record Source(Supplier supplier) implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            return supplier.get();
        }

        @Override
        public Connection getConnection(String user, String password) {
            throw new UnsupportedOperationException();
        }

        @Override
        public PrintWriter getLogWriter() {
            return new PrintWriter(System.err, true, java.nio.charset.StandardCharsets.UTF_8);
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("wraps nothing");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
