package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.Owner;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Short forms of JDBC calls. */
public final class Sql {
    @FunctionalInterface
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private Sql() {}

    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public static int update(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            return statement.executeUpdate();
        }
    }

    public static <T> List<T> query(Connection connection, String sql, Reader<T> reader, Object... parameters)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, parameters);
            return rows(statement, reader);
        }
    }

    public static <T> List<T> rows(PreparedStatement bound, Reader<T> reader) throws SQLException {
        try (ResultSet rows = bound.executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(reader.read(rows));
            }
            return all;
        }
    }

    /** By type, because drivers treat setObject differently. */
    public static void bind(PreparedStatement statement, Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            Object value = parameters[i];
            int index = i + 1;
            if (value instanceof byte[] bytes) {
                statement.setBytes(index, bytes);
            } else if (value instanceof String text) {
                statement.setString(index, text);
            } else if (value instanceof Long number) {
                statement.setLong(index, number);
            } else if (value instanceof Integer number) {
                statement.setInt(index, number);
            } else if (value instanceof Boolean truth) {
                statement.setBoolean(index, truth);
            } else if (value instanceof Owner owner) {
                statement.setString(index, owner.toString());
            } else {
                throw new IllegalArgumentException("No way to bind " + value.getClass());
            }
        }
    }

    /** Whether the row was there already. */
    public static boolean isDuplicate(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("23");
    }

    /** That many question marks, for an IN list. */
    public static String marks(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }
}
