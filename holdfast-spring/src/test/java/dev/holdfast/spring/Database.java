package dev.holdfast.spring;

import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/** A database in memory with one table of one number, and transactions. */
@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement
class Database {
    @Bean(destroyMethod = "dispose")
    JdbcConnectionPool dataSource() {
        String name = UUID.randomUUID().toString();
        return JdbcConnectionPool.create("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1", "sa", "");
    }

    @Bean
    PlatformTransactionManager transactionManager(DataSource dataSource) {
        return new JdbcTransactionManager(dataSource);
    }

    @Bean
    TransactionTemplate transactionTemplate(PlatformTransactionManager manager) {
        return new TransactionTemplate(manager);
    }

    @Bean
    JdbcTemplate jdbc(DataSource dataSource) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE stock (amount INT)");
        jdbc.update("INSERT INTO stock VALUES (0)");
        return jdbc;
    }
}
