package dev.holdfast.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/** DataSources for tests. */
final class Databases {
    private static final ConcurrentHashMap<String, HikariDataSource> SHARED = new ConcurrentHashMap<>();

    private Databases() {}

    /** A new connection each time. */
    static DataSource unpooled(String url) {
        return new Source(() -> DriverManager.getConnection(url));
    }

    /**
     * A pool as people have it, with the patience that it has by default: less would hold for all pools of this process,
     * because it is what DriverManager allows a login, whoever asks.
     */
    static HikariDataSource pool(String url, int size) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    /** One pool for all clients of a process, as in an application. */
    static DataSource sharedPool(String url) {
        return SHARED.computeIfAbsent(url, each -> pool(each, 60));
    }

    /**
     * Closes the pool for a file of H2, and waits until nobody in this process has that file open any more: until then
     * files come back that were deleted.
     */
    static void closeFile(String url, Path file) {
        HikariDataSource pool = SHARED.remove(url);
        if (pool != null) {
            pool.close();
        }
        Path open = file.resolveSibling(file.getFileName() + ".lock.db");
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.notExists(open));
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
