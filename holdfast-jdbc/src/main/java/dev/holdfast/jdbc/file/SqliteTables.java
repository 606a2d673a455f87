package dev.holdfast.jdbc.file;

import dev.holdfast.jdbc.sql.Dialect.Verdict;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Sqlite;
import dev.holdfast.jdbc.sql.TableVersion;
import dev.holdfast.jdbc.sql.Tables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** The tables of a SQLite file, and the random number by which it is told apart from one that takes its place. */
public final class SqliteTables {
    /** No bucket has this number, so no counter is in that row. */
    private static final int ID_BUCKET = -1;
    /** Means that no number was written; random numbers are never negative. */
    private static final long NONE = -1;

    private final String countTables;
    private final String readId;
    private final String writeId;
    private final List<String> forgetLocks;
    private final List<String> ddl;
    private final TableVersion version;
    private final int tableCount;

    public SqliteTables(Tables tables) {
        countTables = tables.in(
                "SELECT count(*) FROM sqlite_master WHERE type = 'table'"
                        + " AND name IN ('holdfast_lock', 'holdfast_queue', 'holdfast_share', 'holdfast_share_queue', 'holdfast_fence')");
        readId = tables.in("SELECT counter FROM holdfast_fence WHERE bucket = " + ID_BUCKET);
        // As many random bits as a counter may have.
        writeId = tables.in("INSERT OR IGNORE INTO holdfast_fence (bucket, counter) VALUES (" + ID_BUCKET
                + ", random() & 9007199254740991)");
        forgetLocks = Stream.of("holdfast_lock", "holdfast_queue", "holdfast_share", "holdfast_share_queue")
                .map(each -> tables.in("DELETE FROM " + each))
                .toList();
        ddl = tables.ddlStatements("sqlite");
        tableCount =
                (int) ddl.stream().filter(each -> each.startsWith("CREATE")).count();
        version = new TableVersion(new Sqlite(), tables);
    }

    /** Writes only where something is missing, so that those who come later need not wait for whoever writes. */
    public long prepare(Connection connection) throws SQLException {
        int found = Sql.query(connection, countTables, row -> row.getInt(1)).get(0);
        if (found > 0) {
            // For each connection: the file may have taken the place of another one.
            version.require(connection);
        }
        if (found < tableCount) {
            for (String statement : ddl) {
                Sql.execute(connection, statement);
            }
        }
        long id = id(connection);
        if (id != NONE) {
            return id;
        }
        Sql.update(connection, writeId);
        return id(connection);
    }

    /**
     * For a connection whose log nobody else finds any more. When it is closed, SQLite may write that log over what others have
     * written to the file since; the locks in it must not come back that way.
     */
    public void forgetLocks(Connection connection) {
        for (String statement : forgetLocks) {
            try {
                Sql.execute(connection, statement);
            } catch (SQLException e) {
                // Then SQLite cannot use the log either.
            }
        }
    }

    public long id(Connection connection) throws SQLException {
        List<Long> found = Sql.query(connection, readId, row -> row.getLong(1));
        return found.isEmpty() ? NONE : found.get(0);
    }

    /** A file that has lost its tables is not the one it was. */
    public boolean hasId(Connection connection, long id) throws SQLException {
        try {
            return id(connection) == id;
        } catch (SQLException e) {
            if (new Sqlite().judge(e) == Verdict.NO_TABLES) {
                return false;
            }
            throw e;
        }
    }
}
