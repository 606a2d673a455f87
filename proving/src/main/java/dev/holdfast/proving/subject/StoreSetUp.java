package dev.holdfast.proving.subject;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.jdbc.JdbcBackend;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** What a new store needs before the first client comes: tables, or servers that know each other. */
public final class StoreSetUp {
    private StoreSetUp() {}

    public static void prepare(Store store, Target target) throws SQLException {
        switch (store) {
            case QUORUM -> HoldfastSubjects.initialiseQuorum(target);
            case POSTGRES -> createTables(target);
            default -> {
                // Ready as they are.
            }
        }
    }

    private static void createTables(Target target) throws SQLException {
        try (HikariDataSource pool = Postgres.pool(target)) {
            JdbcBackend.createTables(pool);
            new ResourceDatabasePopulator(
                            new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"))
                    .execute(pool);
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL,"
                        + " locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL)");
            }
        }
    }
}
