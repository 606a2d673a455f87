package dev.holdfast.jdbc;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardState;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.tck.GuardedNumber;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A number in a row of a user's table, guarded by a {@link SqlFence}, or by a column of its own. */
final class SqlNumber implements GuardedNumber {
    interface Work<T> {
        T in(Connection connection) throws SQLException;
    }

    private final DataSource dataSource;
    private final long id;
    private final boolean inColumn;
    private final SqlFence fence;
    private final FencedTable table;

    private SqlNumber(DataSource dataSource, long id, boolean inColumn, int generation) {
        this.dataSource = dataSource;
        this.id = id;
        this.inColumn = inColumn;
        this.fence = SqlFence.of("number-" + id).withGeneration(generation);
        this.table =
                FencedTable.of("number", "id", "fence").withReaders("reader").withGeneration("generation", generation);
    }

    static void createTables(DataSource dataSource) throws SQLException {
        SqlFence.createTable(dataSource);
        try (Connection connection = dataSource.getConnection()) {
            Sql.execute(
                    connection,
                    "CREATE TABLE IF NOT EXISTS number (id BIGINT PRIMARY KEY, amount BIGINT NOT NULL,"
                            + " version BIGINT NOT NULL, fence BIGINT NOT NULL, reader BIGINT NOT NULL, generation INTEGER NOT NULL)");
        }
    }

    static SqlNumber create(DataSource dataSource, long id, boolean inColumn) throws SQLException {
        SqlNumber number = new SqlNumber(dataSource, id, inColumn, 0);
        number.transaction(connection -> Sql.update(connection, "INSERT INTO number VALUES (?, 0, 0, 0, 0, 0)", id));
        return number;
    }

    @Override
    public long read() throws SQLException {
        return transaction(this::read);
    }

    private long read(Connection connection) throws SQLException {
        return Sql.query(connection, "SELECT amount FROM number WHERE id = ?", row -> row.getLong(1), id)
                .get(0);
    }

    @Override
    public void overwrite(long value) throws SQLException {
        transaction(connection -> Sql.update(connection, "UPDATE number SET amount = ? WHERE id = ?", value, id));
    }

    @Override
    public void announce(FencingToken token) throws SQLException {
        transaction(connection -> {
            if (inColumn) {
                table.announce(connection, id, token);
            } else {
                fence.announce(connection, token);
            }
            return true;
        });
    }

    @Override
    public void announceRead(FencingToken token) throws SQLException {
        transaction(connection -> {
            if (inColumn) {
                table.announceRead(connection, id, token);
            } else {
                fence.announceRead(connection, token);
            }
            return true;
        });
    }

    @Override
    public void write(FencingToken token, long value) throws SQLException {
        transaction(connection -> {
            if (inColumn) {
                table.update(connection, id, token, "amount = ?", value);
            } else {
                fence.check(connection, token);
                Sql.update(connection, "UPDATE number SET amount = ? WHERE id = ?", value, id);
            }
            return true;
        });
    }

    @Override
    public boolean writeIfUnchanged(long expected, long value) throws SQLException {
        // The version column, as an ORM does it; the number stands for the version that was read with it.
        String sql = "UPDATE number SET amount = ?, version = version + 1 WHERE id = ? AND amount = ?";
        return transaction(connection -> Sql.update(connection, sql, value, id, expected)) == 1;
    }

    @Override
    public GuardedNumber withGeneration(int generation) {
        return new SqlNumber(dataSource, id, inColumn, generation);
    }

    @Override
    public GuardState inspect() throws SQLException {
        return transaction(connection -> inColumn
                ? table.inspect(connection, id)
                : fence.inspect(connection).orElseThrow());
    }

    @Override
    public boolean move(GuardState shown, int toGeneration, String by) throws SQLException {
        return transaction(connection -> inColumn
                ? table.move(connection, id, shown, toGeneration, by)
                : fence.move(connection, shown, toGeneration, by));
    }

    private <T> T transaction(Work<T> work) throws SQLException {
        return transaction(dataSource, work);
    }

    static <T> T transaction(DataSource dataSource, Work<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try {
                T result = work.in(connection);
                connection.commit();
                return result;
            } finally {
                connection.rollback();
                connection.setAutoCommit(true);
            }
        }
    }
}
