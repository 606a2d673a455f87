package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.FencingToken;
import dev.holdfast.jdbc.sql.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the guard costs: the same transaction with and without it, on a real PostgreSQL. */
class SqlFenceCostIT {
    private static final int ROUNDS = 300;

    @RegisterExtension
    static final PostgreSqlServer server = new PostgreSqlServer();

    private final FencingToken token = new FencingToken(7);
    private final SqlFence fence = SqlFence.of("account");

    @Test
    void oneStatementPerTransactionAfterTheFirst() throws SQLException {
        AtomicInteger statements = new AtomicInteger();
        SqlNumber.createTables(server.dataSource());
        SqlNumber.create(server.dataSource(), 2, false);
        try (Connection connection = counting(server.dataSource().getConnection(), statements)) {
            connection.setAutoCommit(false);
            transaction(connection, true);
            statements.set(0);
            transaction(connection, false);
            int without = statements.getAndSet(0);
            transaction(connection, true);
            assertThat(statements.get()).isEqualTo(without + 1);
            // And so on, for a newer token too.
            statements.set(0);
            fence.check(connection, new FencingToken(8));
            assertThat(statements.get()).isEqualTo(1);
            connection.rollback();
            System.out.printf(
                    "measured: a transaction of one update takes %.2f times as long with the guard%n",
                    ratio(connection));
        }
    }

    /** Interleaved, because machines are noisy; the median of the ratios. Printed, not asserted: it is the machine's. */
    private double ratio(Connection connection) throws SQLException {
        double[] ratios = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long began = System.nanoTime();
            transaction(connection, false);
            long between = System.nanoTime();
            transaction(connection, true);
            ratios[i] = (System.nanoTime() - between) / (double) (between - began);
        }
        Arrays.sort(ratios);
        return ratios[ROUNDS / 2];
    }

    private void transaction(Connection connection, boolean guarded) throws SQLException {
        if (guarded) {
            fence.check(connection, token);
        }
        Sql.update(connection, "UPDATE number SET amount = amount + 1 WHERE id = ?", 2L);
        connection.commit();
    }

    private static Connection counting(Connection connection, AtomicInteger statements) {
        return (Connection) Proxy.newProxyInstance(
                SqlFenceCostIT.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().endsWith("Statement")) {
                        statements.incrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
