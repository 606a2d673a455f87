package dev.holdfast.spring;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** JPA with Hibernate, on H2. */
class FencedJpaTest extends FencedContract {
    @Override
    Class<?> configuration() {
        return Jpa.class;
    }

    @Entity
    @Table(name = "stock")
    static class Row {
        @Id
        int id;

        @Column(name = "amount")
        int amount;
    }

    static class JpaStock extends FencedStock {
        @PersistenceContext
        private EntityManager entities;

        @Override
        int read() {
            return entities.find(Row.class, 1).amount;
        }

        @Override
        void write(int amount) {
            entities.find(Row.class, 1).amount = amount;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Jpa {
        @Bean
        RecordingDataSource dataSource() {
            return FencedH2Test.newDatabase();
        }

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(RecordingDataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setManagedTypes(PersistenceManagedTypes.of(Row.class.getName()));
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            return factory;
        }

        @Bean
        PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        JpaStock stock() {
            return new JpaStock();
        }
    }
}
