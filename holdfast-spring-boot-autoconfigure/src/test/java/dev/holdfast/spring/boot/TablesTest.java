package dev.holdfast.spring.boot;

import static dev.holdfast.spring.boot.Contexts.failsWith;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.Database;
import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.spring.Locked;
import dev.holdfast.spring.LockedContext;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Tables that are missing, created, or migrated. */
class TablesTest {
    private final ApplicationContextRunner runner = Contexts.runner().withBean(DataSource.class, Contexts::newDatabase);

    @Test
    void missingTablesOfLocksAreToldAtTheStart() {
        runner.run(failsWith(
                "no tables for locks", "META-INF/holdfast/<database>.sql", "holdfast.jdbc.initialize-schema"));
    }

    @Test
    void missingTablesOfGuardsAreToldAtTheStart() {
        ApplicationContextRunner fenced =
                runner.withUserConfiguration(FencedStock.class).withPropertyValues("holdfast.backend=memory");
        fenced.run(failsWith(
                "fenced = true",
                "The tables of SqlFence are missing",
                "-guard.sql",
                "holdfast.jdbc.initialize-schema"));
        // Nobody needs them without a fenced method.
        runner.withPropertyValues("holdfast.backend=memory")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void bothAreCreatedIfAskedFor() {
        runner.withUserConfiguration(FencedStock.class)
                .withPropertyValues("holdfast.jdbc.initialize-schema=always", "holdfast.fence-generation=4")
                .run(context -> {
                    assertThat(context.getBean(Stock.class).sell()).isEqualTo("stock");
                    assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                    .queryForObject("SELECT generation FROM holdfast_guard", Integer.class))
                            .isEqualTo(4);
                });
    }

    @Test
    void aMigrationWithTheFilesOfTheJarIsEnough() {
        runner.withUserConfiguration(FencedStock.class)
                .withBean(Migration.class)
                .run(context -> assertThat(context.getBean(Stock.class).sell()).isEqualTo("stock"));
    }

    @Test
    void theFilesAreWhatTheProductCreates() throws Exception {
        for (Database database : Database.values()) {
            String name = database.name().toLowerCase(java.util.Locale.ROOT);
            assertThat(JdbcBackend.ddl(database)).isEqualTo(file(name + ".sql"));
            assertThat(SqlFence.ddl(database)).isEqualTo(file(name + "-guard.sql"));
        }
    }

    private static String file(String name) throws Exception {
        return new ClassPathResource("META-INF/holdfast/" + name)
                .getContentAsString(java.nio.charset.StandardCharsets.UTF_8);
    }

    /** As a migration tool does it: as a bean, which nothing here depends on. */
    static final class Migration implements InitializingBean {
        private final DataSource dataSource;

        Migration(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        @Override
        public void afterPropertiesSet() {
            new ResourceDatabasePopulator(
                            new ClassPathResource("META-INF/holdfast/h2.sql"),
                            new ClassPathResource("META-INF/holdfast/h2-guard.sql"))
                    .execute(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FencedStock {
        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Stock stock() {
            return new Stock();
        }
    }

    static class Stock {
        @Locked(name = "stock", fenced = true)
        public String sell() {
            return LockedContext.current().orElseThrow().lease().name();
        }
    }
}
