package dev.holdfast.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.spring.boot.HoldfastStartupException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Objects;
import javax.sql.DataSource;
import liquibase.Contexts;
import liquibase.Liquibase;
import liquibase.database.DatabaseFactory;
import liquibase.database.jvm.JdbcConnection;
import liquibase.resource.ClassLoaderResourceAccessor;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** The tables of locks and guards by a migration, as docs/spring-boot.md says it. The application creates none. */
class MigrationsIT {
    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void startDatabase() throws Exception {
        postgres = Postgres.start();
    }

    @AfterAll
    static void stopDatabase() throws Exception {
        postgres.close();
    }

    @Test
    void withoutThemTheApplicationDoesNotStart() {
        newDatabase("without");
        assertThatThrownBy(() -> sellOne("without"))
                .isInstanceOf(HoldfastStartupException.class)
                .hasMessageContaining("tables");
    }

    @Test
    void flywayTakesCopiesOfTheFiles(@TempDir Path migrations) throws Exception {
        copy("postgresql.sql", migrations.resolve("V1__holdfast.sql"));
        copy("postgresql-guard.sql", migrations.resolve("V2__holdfast_guard.sql"));
        Flyway flyway = Flyway.configure()
                .dataSource(newDatabase("flyway"))
                .locations("filesystem:" + migrations)
                .load();
        assertThat(flyway.migrate().migrationsExecuted).isEqualTo(2);
        sellOne("flyway");
    }

    private static void copy(String file, Path to) throws Exception {
        try (InputStream in = MigrationsIT.class.getResourceAsStream("/META-INF/holdfast/" + file)) {
            Files.copy(Objects.requireNonNull(in), to);
        }
    }

    @Test
    void liquibaseReadsTheFilesFromTheJar() throws Exception {
        try (Connection connection = newDatabase("liquibase").getConnection();
                Liquibase liquibase = new Liquibase(
                        "db/changelog.xml",
                        new ClassLoaderResourceAccessor(),
                        DatabaseFactory.getInstance()
                                .findCorrectDatabaseImplementation(new JdbcConnection(connection)))) {
            liquibase.update(new Contexts());
        }
        sellOne("liquibase");
    }

    private static DataSource newDatabase(String name) {
        new JdbcTemplate(postgres.getPostgresDatabase()).execute("CREATE DATABASE " + name);
        return postgres.getDatabase("postgres", name);
    }

    /** With locks and guards in that database. */
    private static void sellOne(String database) {
        try (ConfigurableApplicationContext shop = SpringApplication.run(
                OrderForm.class,
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--logging.level.org.springframework.boot.diagnostics=off",
                "--spring.data.redis.port=" + redis.port(),
                "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", database),
                "--holdfast.backend=jdbc",
                "--holdfast.jdbc.initialize-schema=never")) {
            shop.getBean(JdbcTemplate.class).update("INSERT INTO stock VALUES (1, 1)");
            assertThat(shop.getBean(Stock.class).sell(1)).isTrue();
            assertThat(shop.getBean(Stock.class).sell(1)).isFalse();
        }
    }
}
