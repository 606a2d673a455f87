package dev.holdfast.spring.boot.starter;

import dev.holdfast.spring.boot.HoldfastAutoConfiguration;
import dev.holdfast.spring.boot.HoldfastHealth;
import dev.holdfast.spring.boot.StarterCheck;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Spring Boot 4 has at another place than Spring Boot 3: health. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
public class HoldfastBoot4AutoConfiguration {
    HoldfastBoot4AutoConfiguration() {
        StarterCheck.require(4, "holdfast-spring-boot-starter", "holdfast-spring-boot3-starter");
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    @ConditionalOnBean(HoldfastHealth.class)
    @ConditionalOnEnabledHealthIndicator("holdfast")
    static class HealthConfiguration {
        @Bean
        @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
        HealthIndicator holdfastHealthIndicator(HoldfastHealth holdfast) {
            return () -> {
                HoldfastHealth.Result result = holdfast.check();
                return (result.isUp() ? Health.up() : Health.down())
                        .withDetails(result.details())
                        .build();
            };
        }
    }
}
