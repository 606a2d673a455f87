package dev.holdfast.cli;

import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.spi.LockBackend;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** Tables of a database, found by the driver that knows the URL. */
record JdbcStore(String url) implements Store {
    private static final String TABLE_PREFIX = "holdfast_";

    @Override
    public String label() {
        return Stores.withoutPassword(url);
    }

    @Override
    public LockBackend backend() {
        return JdbcBackend.over(new Connections(url));
    }

    /** The backend answers a programmer, and at length. */
    @Override
    public String explain(String why) {
        return why.contains("tables of Holdfast are missing")
                ? "The tables of Holdfast are missing. Create them, once: holdfast init '" + label() + "'"
                : why;
    }

    @Override
    public String initialise() {
        Connections connections = new Connections(url);
        String found = existingTable(connections);
        if (!found.isEmpty()) {
            throw new CliException(
                    ExitCode.NO, "There are tables already: " + found + " at " + label() + ". Nothing was changed.");
        }
        JdbcBackend.createTables(connections);
        return "Created the tables at " + label() + ".";
    }

    private String existingTable(Connections connections) {
        try (Connection connection = connections.getConnection();
                ResultSet tables = connection
                        .getMetaData()
                        .getTables(connection.getCatalog(), null, "%", new String[] {"TABLE"})) {
            while (tables.next()) {
                String name = tables.getString("TABLE_NAME");
                if (name.toLowerCase(Locale.ROOT).startsWith(TABLE_PREFIX)) {
                    return name;
                }
            }
            return "";
        } catch (SQLException e) {
            throw new CliException(ExitCode.UNAVAILABLE, "No answer from " + label() + ": " + e.getMessage());
        }
    }
}
