package dev.holdfast.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A DataSource whose traffic is counted, and can be made to fail before or after a statement was carried out. */
final class Tapped {
    /** Called with the text of each statement; may throw. */
    interface Fault {
        void at(String sql) throws SQLException;
    }

    private static final Fault NONE = sql -> {};

    final AtomicInteger connections = new AtomicInteger();
    final AtomicInteger statements = new AtomicInteger();
    final Queue<SQLException> failures = new ConcurrentLinkedQueue<>();
    volatile Fault before = NONE;
    volatile Fault after = NONE;
    private final DataSource source;

    Tapped(DataSource source) {
        this.source = source;
    }

    DataSource dataSource() {
        return new Databases.Source(() -> {
            connections.incrementAndGet();
            return proxy(Connection.class, new OnConnection(source.getConnection()));
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(Tapped.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private Object call(Object target, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException sql) {
                failures.add(sql);
            }
            throw e.getCause();
        }
    }

    private final class OnConnection implements InvocationHandler {
        private final Connection connection;

        OnConnection(Connection connection) {
            this.connection = connection;
        }

        @Override
        public Object invoke(Object self, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
            return switch (method.getName()) {
                case "prepareStatement" ->
                    proxy(
                            PreparedStatement.class,
                            new OnStatement((Statement) call(connection, method, arguments), (String) arguments[0]));
                case "createStatement" ->
                    proxy(Statement.class, new OnStatement((Statement) call(connection, method, arguments), ""));
                case "commit" -> watched("COMMIT", () -> call(connection, method, arguments));
                default -> call(connection, method, arguments);
            };
        }
    }

    private interface Call {
        Object run() throws Throwable;
    }

    private Object watched(String sql, Call call) throws Throwable {
        statements.incrementAndGet();
        before.at(sql);
        Object result = call.run();
        after.at(sql);
        return result;
    }

    private final class OnStatement implements InvocationHandler {
        private final Statement statement;
        private final String sql;

        OnStatement(Statement statement, String sql) {
            this.statement = statement;
            this.sql = sql;
        }

        @Override
        public Object invoke(Object self, java.lang.reflect.Method method, Object[] arguments) throws Throwable {
            if (!method.getName().startsWith("execute")) {
                return call(statement, method, arguments);
            }
            String text = arguments != null && arguments.length > 0 ? (String) arguments[0] : sql;
            return watched(text, () -> call(statement, method, arguments));
        }
    }
}
