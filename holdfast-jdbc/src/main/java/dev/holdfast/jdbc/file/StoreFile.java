package dev.holdfast.jdbc.file;

import dev.holdfast.jdbc.file.LockFile.Seen;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.H2;
import dev.holdfast.jdbc.sql.Sqlite;
import dev.holdfast.jdbc.sql.Tables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the file behind a connection that somebody else opened. */
public interface StoreFile {
    /** For this database; null where it is never a file of this machine. */
    static @Nullable StoreFile of(Dialect dialect, Tables tables) {
        if (dialect instanceof Sqlite) {
            return new SqliteStoreFile(tables);
        }
        return dialect instanceof H2 ? new H2StoreFile(tables) : null;
    }

    /** The file that this connection writes to; null if there is none that could be replaced. */
    @Nullable
    LockFile behind(Connection connection) throws SQLException;

    /** Files beside this one that must stay while a connection is open; empty in place of each that is not there now. */
    default List<Object> companions(LockFile file) {
        return List.of();
    }

    /** Called when nobody else reads what this connection writes: that must not reach the file when the connection is closed. */
    default void abandon(Connection connection) {}

    /** Whether the file may be on another machine: then it proves nothing that there is none here. */
    boolean mayBeElsewhere();

    /**
     * Whether a process that opens the file by its name reads what this connection writes.
     *
     * @param first whether this file was not in use before
     */
    boolean isFoundByName(Connection connection, LockFile file, Seen seen, boolean first) throws SQLException;
}
