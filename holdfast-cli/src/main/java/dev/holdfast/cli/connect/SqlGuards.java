package dev.holdfast.cli.connect;

import dev.holdfast.GuardState;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.spi.Failures;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/** Guards in the table of {@link SqlFence}. */
record SqlGuards(String label, ConnectionPool connections) implements Guards {
    private static final String TABLE = "holdfast_guard";

    @FunctionalInterface
    private interface Work<T> {
        T in(Connection connection) throws SQLException;
    }

    @Override
    public Optional<GuardState> inspect(String resource) {
        return transaction(connection -> SqlFence.of(resource).inspect(connection));
    }

    @Override
    public boolean move(String resource, GuardState shown, int toGeneration, String by) {
        return transaction(connection -> SqlFence.of(resource).move(connection, shown, toGeneration, by));
    }

    private <T> T transaction(Work<T> work) {
        try (Connection connection = connections.getConnection()) {
            connection.setAutoCommit(false);
            try {
                T result = work.in(connection);
                connection.commit();
                return result;
            } catch (SQLException e) {
                connection.rollback();
                throw isMissing(connection) ? noTable() : unavailable(e);
            } finally {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw unavailable(e);
        }
    }

    /** Asked only after a failure. */
    private static boolean isMissing(Connection connection) throws SQLException {
        try (ResultSet tables = connection.getMetaData().getTables(connection.getCatalog(), null, "%", null)) {
            while (tables.next()) {
                if (tables.getString("TABLE_NAME").toLowerCase(Locale.ROOT).equals(TABLE)) {
                    return false;
                }
            }
            return true;
        }
    }

    private CliException noTable() {
        return new CliException(
                ExitCode.UNAVAILABLE,
                "There are no guards at " + label + ": it has no table " + TABLE
                        + ". The table is in the database that holds the guarded data.");
    }

    private CliException unavailable(SQLException failure) {
        return new CliException(
                ExitCode.UNAVAILABLE, "The guards at " + label + " cannot be used: " + Failures.describe(failure));
    }

    /** The connections end with the process. */
    @Override
    public void close() {}
}
