package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Passwords;
import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/** Tables of a database, found by the driver that knows the URL. */
record JdbcStore(String url) implements Store {
    private static final String TABLE_PREFIX = "holdfast_";
    /** How their tables begin. Guards outlive the tables of locks, and may be in the same database. */
    private static final String GUARDS = TABLE_PREFIX + "guard";

    private static final String SQLITE = "jdbc:sqlite:";

    @Override
    public String label() {
        return Passwords.mask(url);
    }

    @Override
    public LockBackend backend() {
        return JdbcBackend.over(connections()).connect();
    }

    /** A missing driver is no outage: nobody need wait for it. */
    private ConnectionPool connections() {
        requireDriver();
        sqliteFile().ifPresent(JdbcStore::createSqliteFile);
        return new ConnectionPool(url);
    }

    @Override
    public Guards guards() {
        requireDriver();
        // The driver would create it, and nothing in a new file can be guarded.
        sqliteFile().filter(file -> !Files.isRegularFile(file)).ifPresent(missing -> {
            throw new CliException(ExitCode.UNAVAILABLE, "There is no file " + missing + ".");
        });
        return new SqlGuards(label(), new ConnectionPool(url));
    }

    private void requireDriver() {
        try {
            DriverManager.getDriver(JdbcDrivers.accepted(url));
        } catch (SQLException e) {
            throw new CliException(
                    ExitCode.UNAVAILABLE,
                    "There is no driver for " + label()
                            + ". Drivers for PostgreSQL, MariaDB, MySQL and SQLite are included; put the"
                            + " jar of any other driver into lib/, next to bin/.");
        }
    }

    private Optional<Path> sqliteFile() {
        if (!url.startsWith(SQLITE) || url.startsWith(SQLITE + ":")) {
            return Optional.empty();
        }
        String name = url.substring(SQLITE.length()).replaceFirst("\\?.*$", "");
        name = name.startsWith("file:") ? name.substring("file:".length()) : name;
        try {
            return name.isEmpty() ? Optional.empty() : Optional.of(Path.of(name));
        } catch (InvalidPathException cannot) {
            throw cannotCreate(name, cannot);
        }
    }

    /** Left to the driver, it could be read by everybody. */
    private static void createSqliteFile(Path file) {
        try {
            PrivateFiles.createIfMissing(file);
        } catch (IOException cannot) {
            throw cannotCreate(file.toString(), cannot);
        }
    }

    private static CliException cannotCreate(String name, Exception why) {
        return new CliException(
                ExitCode.UNAVAILABLE,
                "The file " + name + " cannot be created (" + why
                        + "). Choose a directory that this user may write to.");
    }

    /** The message of the backend is for programmers. This one is for the shell. */
    @Override
    public String explain(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof RefusedException refused && refused.code().equals("jdbc.tables-missing")) {
                return "The tables of Holdfast are missing. Create them, once: holdfast init '" + label() + "'";
            }
        }
        return Failures.describe(failure);
    }

    @Override
    public String initialise() {
        ConnectionPool connections = connections();
        String found = existingTable(connections);
        if (!found.isEmpty()) {
            throw new CliException(
                    ExitCode.NO, "The store " + label() + " already has the table " + found + ". Nothing was changed.");
        }
        JdbcBackend.createTables(connections);
        return "Created the tables at " + label() + ".";
    }

    private String existingTable(ConnectionPool connections) {
        try (Connection connection = connections.getConnection();
                ResultSet tables = connection
                        .getMetaData()
                        .getTables(connection.getCatalog(), null, "%", new String[] {"TABLE"})) {
            while (tables.next()) {
                String name = tables.getString("TABLE_NAME");
                String lower = name.toLowerCase(Locale.ROOT);
                if (lower.startsWith(TABLE_PREFIX) && !lower.startsWith(GUARDS)) {
                    return name;
                }
            }
            return "";
        } catch (SQLException e) {
            throw new CliException(ExitCode.UNAVAILABLE, "No answer from " + label() + ": " + Failures.describe(e));
        }
    }
}
