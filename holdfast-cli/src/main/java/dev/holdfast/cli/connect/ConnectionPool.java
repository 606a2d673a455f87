package dev.holdfast.cli.connect;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Connections to one URL. A closed one is kept for the next step: a waiter that asks every second must not log in every
 * second. They end with the process.
 */
final class ConnectionPool implements DataSource {
    private static final int LOGIN_SECONDS = 5;
    private static final int CHECK_SECONDS = 2;

    private final String url;
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();

    ConnectionPool(String url) {
        this.url = JdbcDrivers.accepted(url);
        DriverManager.setLoginTimeout(LOGIN_SECONDS);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection kept;
        while ((kept = idle.pollFirst()) != null) {
            if (kept.isValid(CHECK_SECONDS)) {
                return returning(kept);
            }
            kept.close();
        }
        return returning(DriverManager.getConnection(url, limits()));
    }

    /** PostgreSQL's driver knows its own limit only, and has none unless told. */
    private Properties limits() {
        Properties limits = new Properties();
        if (url.startsWith("jdbc:postgresql:") && !url.contains("loginTimeout=")) {
            limits.setProperty("loginTimeout", Integer.toString(LOGIN_SECONDS));
        }
        return limits;
    }

    private Connection returning(Connection real) {
        AtomicBoolean returned = new AtomicBoolean();
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.getName().equals("close")) {
                if (returned.compareAndSet(false, true) && !real.isClosed()) {
                    idle.addFirst(real);
                }
                return null;
            }
            try {
                return method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        };
        return (Connection)
                Proxy.newProxyInstance(Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, handler);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("The URL says who we are.");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return LOGIN_SECONDS;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("Nothing is logged.");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("Not a wrapper.");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
