package dev.holdfast.spring;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
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
                    .setPort(freePort())
                    .setPGStartupWait(Duration.ofMinutes(3))
                    .start();
        }

        /** Below the ports that the system lends to whoever connects: seconds pass before the server listens there. */
        private static int freePort() {
            while (true) {
                int port = ThreadLocalRandom.current().nextInt(5_500, 10_000);
                if (isFree(port)) {
                    return port;
                }
            }
        }

        private static boolean isFree(int port) {
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.isBound();
            } catch (IOException taken) {
                return false;
            }
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
