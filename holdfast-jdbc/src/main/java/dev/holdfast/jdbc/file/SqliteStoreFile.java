package dev.holdfast.jdbc.file;

import dev.holdfast.jdbc.file.LockFile.Seen;
import dev.holdfast.jdbc.sql.Dialect.Verdict;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Sqlite;
import dev.holdfast.jdbc.sql.Tables;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which file a connection of SQLite has open cannot be asked: it may be one that was deleted. So the connection opens its
 * own file a second time, by name, and looks there for what it has just written.
 */
public final class SqliteStoreFile implements StoreFile {
    /** No bucket has this number. */
    private static final int PROBE_BUCKET = -2;
    /** Others may write their probe between ours and its reading. */
    private static final int TRIES = 5;

    private final Tables tables;

    public SqliteStoreFile(Tables tables) {
        this.tables = tables;
    }

    @Override
    public @Nullable LockFile behind(Connection connection) throws SQLException {
        String path = Sql.query(
                        connection,
                        "SELECT coalesce(file, '') FROM pragma_database_list WHERE name = 'main'",
                        row -> row.getString(1))
                .get(0);
        // In memory, or in a database that somebody attached.
        return path.isEmpty() || tables.prefix().indexOf('.') >= 0 ? null : new LockFile(Path.of(path));
    }

    @Override
    public List<Object> companions(LockFile file) {
        return file.lookAtCompanions();
    }

    @Override
    public void abandon(Connection connection) {
        new SqliteTables(tables).forgetLocks(connection);
    }

    @Override
    public boolean mayBeElsewhere() {
        return false;
    }

    @Override
    public boolean isFoundByName(Connection connection, LockFile file, Seen seen, boolean first) throws SQLException {
        if (first) {
            file.requireUsable(seen);
        }
        Sql.update(connection, "ATTACH DATABASE ? AS by_its_name", file.path().toString());
        try {
            return isFoundByName(connection);
        } finally {
            Sql.execute(connection, "DETACH DATABASE by_its_name");
        }
    }

    private boolean isFoundByName(Connection connection) throws SQLException {
        String write = tables.in("INSERT OR REPLACE INTO main.holdfast_fence (bucket, counter) VALUES (" + PROBE_BUCKET
                + ", random() & 9007199254740991) RETURNING counter");
        String read = tables.in("SELECT counter FROM by_its_name.holdfast_fence WHERE bucket = " + PROBE_BUCKET);
        for (int i = 0; i < TRIES; i++) {
            List<Long> written = Sql.query(connection, write, row -> row.getLong(1));
            if (read(connection, read).equals(written)) {
                return true;
            }
        }
        return false;
    }

    private static List<Long> read(Connection connection, String read) throws SQLException {
        try {
            return Sql.query(connection, read, row -> row.getLong(1));
        } catch (SQLException e) {
            if (new Sqlite().judge(e) == Verdict.NO_TABLES) {
                return List.of();
            }
            throw e;
        }
    }
}
