package dev.holdfast.jdbc.file;

import dev.holdfast.jdbc.file.LockFile.Seen;
import dev.holdfast.jdbc.sql.Dialect.Verdict;
import dev.holdfast.jdbc.sql.H2;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The file of an H2 database, where it is on this machine. The process that serves it keeps it open; if it is deleted, with
 * the file by which the others find that process, the next one serves a new database under the same name.
 *
 * <p>A new connection leads to the file that the serving process has open, even if the name leads elsewhere by now. So the
 * database keeps a random number: if the file under the name is another one and the number is the same, the connection does not
 * lead to the file under the name.
 */
public final class H2StoreFile implements StoreFile {
    /** No bucket has this number, so no counter is in that row. */
    private static final int ID_BUCKET = -1;

    private record Known(Object key, long id) {}

    private final String readId;
    private final String writeId;
    // Racy, and benign: two threads that check connections at once write the same value.
    private volatile @Nullable Known known;

    public H2StoreFile(Tables tables) {
        readId = tables.in("SELECT counter FROM holdfast_fence WHERE bucket = " + ID_BUCKET);
        writeId = tables.in("MERGE INTO holdfast_fence f USING (VALUES (" + ID_BUCKET + ")) v(b) ON f.bucket = v.b"
                + " WHEN NOT MATCHED THEN INSERT VALUES (v.b, CAST(RAND() * 9007199254740000 AS BIGINT))");
    }

    @Override
    public @Nullable LockFile behind(Connection connection) throws SQLException {
        String path = Sql.query(connection, "SELECT coalesce(DATABASE_PATH(), '')", row -> row.getString(1))
                .get(0);
        return path.isEmpty() ? null : new LockFile(Path.of(path + ".mv.db"));
    }

    @Override
    public boolean mayBeElsewhere() {
        return true;
    }

    @Override
    public boolean isFoundByName(Connection connection, LockFile file, Seen seen, boolean first) throws SQLException {
        long id;
        try {
            id = id(connection);
        } catch (SQLException e) {
            if (new H2().judge(e) == Verdict.NO_TABLES) {
                // There is nothing to compare yet. The step itself reports the missing tables.
                return true;
            }
            throw e;
        }
        Known before = known;
        if (before != null && before.id() == id && !before.key().equals(seen.key())) {
            return false;
        }
        known = new Known(seen.key(), id);
        return true;
    }

    private long id(Connection connection) throws SQLException {
        List<Long> found = Sql.query(connection, readId, row -> row.getLong(1));
        if (!found.isEmpty()) {
            return found.get(0);
        }
        Sql.update(connection, writeId);
        return Sql.query(connection, readId, row -> row.getLong(1)).get(0);
    }
}
