package dev.holdfast.jdbc;

import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.H2;
import dev.holdfast.jdbc.sql.MariaDb;
import dev.holdfast.jdbc.sql.PostgreSql;
import dev.holdfast.jdbc.sql.Sqlite;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;

/** The databases that can store locks. */
public enum Database {
    /** PostgreSQL 13 or later. */
    POSTGRESQL,
    /** MariaDB 10.6 or later, and MySQL 8 or later. */
    MARIADB,
    /** H2 2.x: as a server, or as a file with AUTO_SERVER. */
    H2,
    /** SQLite 3.42 or later: a file that processes of one machine share. */
    SQLITE;

    static Database of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product.toLowerCase(Locale.ROOT)) {
            case "postgresql" -> POSTGRESQL;
            case "mariadb", "mysql" -> MARIADB;
            case "h2" -> H2;
            case "sqlite" -> SQLITE;
            default ->
                throw new IllegalArgumentException("Holdfast cannot store locks in " + product
                        + ": use PostgreSQL, MariaDB, MySQL, H2 or SQLite, or name the one it resembles with"
                        + " JdbcBackend.over(dataSource).database(...)");
        };
    }

    /**
     * The database that a JDBC URL leads to, by its beginning; empty if it is none of these. Does no I/O: with it a backend
     * can be made before the database can be reached ({@link JdbcBackend.Builder#database}).
     */
    public static Optional<Database> ofUrl(String url) {
        String[] parts = url.toLowerCase(Locale.ROOT).split(":", 3);
        if (parts.length < 3 || !parts[0].equals("jdbc")) {
            return Optional.empty();
        }
        return switch (parts[1]) {
            case "postgresql" -> Optional.of(POSTGRESQL);
            case "mariadb", "mysql" -> Optional.of(MARIADB);
            case "h2" -> Optional.of(H2);
            case "sqlite" -> Optional.of(SQLITE);
            default -> Optional.empty();
        };
    }

    Dialect dialect() {
        return switch (this) {
            case POSTGRESQL -> new PostgreSql();
            case MARIADB -> new MariaDb();
            case H2 -> new H2();
            case SQLITE -> new Sqlite();
        };
    }
}
