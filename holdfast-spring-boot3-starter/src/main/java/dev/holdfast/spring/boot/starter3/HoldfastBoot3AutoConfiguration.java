package dev.holdfast.spring.boot.starter3;

import dev.holdfast.spring.boot.HoldfastAutoConfiguration;
import dev.holdfast.spring.boot.HoldfastHealth;
import dev.holdfast.spring.boot.StarterCheck;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What Spring Boot 3 has at another place than Spring Boot 4: health. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
public class HoldfastBoot3AutoConfiguration {
    HoldfastBoot3AutoConfiguration() {
        StarterCheck.require(3, "holdfast-spring-boot3-starter", "holdfast-spring-boot-starter");
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
