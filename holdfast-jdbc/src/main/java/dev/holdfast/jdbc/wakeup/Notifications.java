package dev.holdfast.jdbc.wakeup;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The one thing JDBC has no word for, called by reflection: whoever uses another database must not need the driver of
 * PostgreSQL, and its annotations would be needed to compile against it.
 */
public final class Notifications {
    private final Object driver;
    private final Method receive;
    private final Method parameter;

    private Notifications(Object driver, Method receive, Method parameter) {
        this.driver = driver;
        this.receive = receive;
        this.parameter = parameter;
    }

    public static Notifications of(Connection connection) throws SQLException {
        try {
            Class<?> type = load(connection, "org.postgresql.PGConnection");
            Class<?> notification = load(connection, "org.postgresql.PGNotification");
            return new Notifications(
                    connection.unwrap(type),
                    type.getMethod("getNotifications", int.class),
                    notification.getMethod("getParameter"));
        } catch (ReflectiveOperationException e) {
            throw new SQLException("not the driver org.postgresql:postgresql, so it cannot listen", e);
        }
    }

    private static Class<?> load(Connection connection, String name) throws ClassNotFoundException {
        List<@Nullable ClassLoader> loaders = new ArrayList<>();
        loaders.add(connection.getClass().getClassLoader());
        loaders.add(Thread.currentThread().getContextClassLoader());
        ClassNotFoundException failure = new ClassNotFoundException(name);
        for (ClassLoader loader : loaders) {
            try {
                return Class.forName(name, true, loader);
            } catch (ClassNotFoundException e) {
                failure.addSuppressed(e);
            }
        }
        throw failure;
    }

    /** What was told within that time. Blocks, and sends nothing. */
    public List<String> await(int millis) throws SQLException {
        try {
            Object[] told = (Object[]) receive.invoke(driver, millis);
            List<String> parameters = new ArrayList<>();
            for (int i = 0; told != null && i < told.length; i++) {
                parameters.add((String) parameter.invoke(told[i]));
            }
            return parameters;
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof SQLException sql ? sql : new SQLException(e.getCause());
        } catch (IllegalAccessException e) {
            throw new SQLException(e);
        }
    }
}
