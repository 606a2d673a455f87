package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import dev.holdfast.LockListener;
import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.jdbc.SqlFence;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spring.FencedDataSourceCheck;
import dev.holdfast.zookeeper.ZooKeeperBackend;
import java.util.List;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A {@link Holdfast} over a store that the application has, and its end. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            // Where they stand in Boot 3. What does not exist is passed over.
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration"
        })
@EnableConfigurationProperties(HoldfastProperties.class)
public class HoldfastAutoConfiguration {
    HoldfastAutoConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RedisBackend.class, LettuceConnectionFactory.class})
    @ConditionalOnBean(LettuceConnectionFactory.class)
    static class RedisConfiguration {
        @Bean
        BackendCandidate<LettuceConnectionFactory> holdfastRedisCandidate() {
            return new BackendCandidate<>(BackendKind.REDIS, LettuceConnectionFactory.class, RedisBackends::over);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JdbcBackend.class)
    @ConditionalOnBean(DataSource.class)
    static class JdbcConfiguration {
        @Bean
        BackendCandidate<DataSource> holdfastJdbcCandidate() {
            return new BackendCandidate<>(BackendKind.JDBC, DataSource.class, JdbcBackends::over);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ZooKeeperBackend.class, CuratorFramework.class})
    @ConditionalOnBean(CuratorFramework.class)
    static class ZooKeeperConfiguration {
        @Bean
        BackendCandidate<CuratorFramework> holdfastZooKeeperCandidate() {
            return new BackendCandidate<>(BackendKind.ZOOKEEPER, CuratorFramework.class, ZooKeeperBackends::over);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(Holdfast.class)
    static class BackendConfiguration {
        @Bean
        BackendChoice holdfastBackendChoice(
                ConfigurableListableBeanFactory beans,
                HoldfastProperties properties,
                ObjectProvider<BackendCandidate<?>> candidates) {
            List<BackendCandidate<?>> found = candidates.orderedStream().toList();
            return new BackendSelection(beans, properties, found).choose();
        }

        @Bean
        Holdfast holdfast(
                BackendChoice choice,
                HoldfastProperties properties,
                org.springframework.core.env.Environment application,
                ConfigurableListableBeanFactory beans,
                ObjectProvider<LockListener> listeners,
                ObjectProvider<Environment> environment,
                ObjectProvider<HoldfastCustomizer> customizers) {
            LockBackend backend = choice.connect();
            try {
                Holdfast.Builder builder = Holdfast.builder(backend);
                HoldfastSettings.apply(properties, application.getProperty("spring.application.name", ""), builder);
                environment.ifAvailable(builder::environment);
                LockListener[] heard = listeners.orderedStream().toArray(LockListener[]::new);
                if (heard.length > 0) {
                    builder.listener(LockListener.all(heard));
                }
                customizers.orderedStream().forEach(each -> each.customize(builder));
                Holdfast holdfast = Setting.checked("holdfast.lease", builder::build);
                if (choice.clientBean() != null) {
                    // Both by name: what stops or destroys the client stops and destroys these first.
                    beans.registerDependentBean(choice.clientBean(), "holdfast");
                    beans.registerDependentBean(choice.clientBean(), "holdfastLifecycle");
                }
                return holdfast;
            } catch (RuntimeException | Error e) {
                backend.close();
                throw e;
            }
        }

        @Bean
        LockTablesCheck holdfastLockTablesCheck(BackendChoice choice, Holdfast holdfast) {
            return new LockTablesCheck(choice, holdfast);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SqlFence.class)
    static class GuardConfiguration {
        @Bean
        @ConditionalOnMissingBean
        FencedDataSourceCheck holdfastGuardTablesCheck(HoldfastProperties properties) {
            return new GuardTablesCheck(properties.jdbc().initializeSchema());
        }
    }

    @Bean
    @ConditionalOnSingleCandidate(Holdfast.class)
    HoldfastHealth holdfastHealth(Holdfast holdfast, HoldfastProperties properties) {
        return new HoldfastHealth(holdfast, properties.health().limit());
    }

    @Bean
    @ConditionalOnSingleCandidate(Holdfast.class)
    HoldfastLifecycle holdfastLifecycle(Holdfast holdfast) {
        return new HoldfastLifecycle(holdfast);
    }
}
