/** Holdfast over JDBC: PostgreSQL, MariaDB and MySQL, H2, SQLite. */
module dev.holdfast.jdbc {
    requires transitive dev.holdfast;
    requires transitive java.sql;
    requires static org.jspecify;

    exports dev.holdfast.jdbc;
}
