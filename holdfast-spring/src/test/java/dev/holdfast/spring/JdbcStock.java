package dev.holdfast.spring;

import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** The number through JDBC, on the connection of Spring's transaction. */
class JdbcStock extends FencedStock {
    private final JdbcTemplate jdbc;

    JdbcStock(DataSource dataSource) {
        jdbc = new JdbcTemplate(dataSource);
    }

    @Override
    int read() {
        return jdbc.queryForObject("SELECT amount FROM stock WHERE id = ?", Integer.class, 1);
    }

    @Override
    void write(int amount) {
        jdbc.update("UPDATE stock SET amount = ? WHERE id = ?", amount, 1);
    }
}
