package dev.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;

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
                        + " JdbcBackend.builder(dataSource).database(...)");
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
