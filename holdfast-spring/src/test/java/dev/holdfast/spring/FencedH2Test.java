package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.memory.InMemoryBackend;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** JDBC on H2, with the plain manager. */
class FencedH2Test extends FencedContract {
    @Override
    Class<?> configuration() {
        return H2.class;
    }

    @Test
    void theGenerationOfTheGuardsIsThatOfTheApplication() throws Exception {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource("test", Map.of("store.generation", "3")));
            context.register(Moved.class, H2.class);
            context.refresh();
            DataSource database = context.getBean(RecordingDataSource.class).getTargetDataSource();
            SqlFence.createTable(database);
            new JdbcTemplate(database).execute("CREATE TABLE stock (id INT PRIMARY KEY, amount INT)");
            new JdbcTemplate(database).execute("INSERT INTO stock VALUES (1, 0)");
            context.getBean(JdbcStock.class).add(1);
            assertThat(new JdbcTemplate(database)
                            .queryForObject("SELECT generation FROM holdfast_guard", Integer.class))
                    .isEqualTo(3);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocking(fenceGeneration = "${store.generation}")
    static class Moved {
        @Bean
        Holdfast holdfast() {
            return Holdfast.over(new InMemoryBackend());
        }
    }

    static RecordingDataSource newDatabase() {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
        return new RecordingDataSource(h2);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class H2 {
        @Bean
        RecordingDataSource dataSource() {
            return newDatabase();
        }

        @Bean
        PlatformTransactionManager transactionManager(RecordingDataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        JdbcStock stock(RecordingDataSource dataSource) {
            return new JdbcStock(dataSource);
        }
    }
}
