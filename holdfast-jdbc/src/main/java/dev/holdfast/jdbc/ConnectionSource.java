package dev.holdfast.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Where connections come from, and go back to. */
interface ConnectionSource {
    /** May block for as long as the pool does. */
    Connection take() throws SQLException;

    void giveBack(Connection connection) throws SQLException;

    default void close() {}

    static ConnectionSource of(DataSource dataSource) {
        return new ConnectionSource() {
            @Override
            public Connection take() throws SQLException {
                return dataSource.getConnection();
            }

            @Override
            public void giveBack(Connection connection) throws SQLException {
                connection.close();
            }
        };
    }
}
