package dev.holdfast.cli.connect;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Whether somebody keeps the file of a SQLite store locked. A process that was stopped or hangs in the middle of a
 * transaction blocks all others, and none of them can tell that from a file that does not answer.
 */
public final class BlockedFile {
    /** Transactions of those who work take milliseconds. */
    private static final int PATIENCE_MILLIS = 1000;

    private static final int BUSY = 5;

    private BlockedFile() {}

    public static boolean is(Path file) {
        if (!Files.exists(file)) {
            return false;
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file.toAbsolutePath());
                Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + PATIENCE_MILLIS);
            statement.execute("BEGIN IMMEDIATE");
            statement.execute("ROLLBACK");
            return false;
        } catch (SQLException e) {
            // The extended codes have further bits.
            return (e.getErrorCode() & 0xff) == BUSY;
        }
    }
}
