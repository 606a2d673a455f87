package dev.holdfast.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** JDBC on a real PostgreSQL. */
class FencedPostgreSqlIT extends FencedContract {
    @Override
    Class<?> configuration() {
        return PostgreSql.class;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class PostgreSql {
        @Bean
        EmbeddedPostgres server() throws IOException {
            return EmbeddedPostgres.builder()
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .start();
        }

        @Bean
        RecordingDataSource dataSource(EmbeddedPostgres server) {
            return new RecordingDataSource(server.getPostgresDatabase());
        }

        @Bean
        PlatformTransactionManager transactionManager(RecordingDataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        JdbcStock stock(RecordingDataSource dataSource) {
            return new JdbcStock(dataSource);
        }
    }
}
