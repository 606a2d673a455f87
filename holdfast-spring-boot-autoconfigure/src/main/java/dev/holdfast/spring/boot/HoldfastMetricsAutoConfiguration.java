package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import dev.holdfast.micrometer.HoldfastMetrics;
import dev.holdfast.micrometer.LockObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Meters and observations, where the application has holdfast-micrometer and a registry. */
@AutoConfiguration(
        before = HoldfastAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration"
        })
@ConditionalOnClass({HoldfastMetrics.class, MeterRegistry.class})
public class HoldfastMetricsAutoConfiguration {
    HoldfastMetricsAutoConfiguration() {}

    /** A listener: the Holdfast of {@link HoldfastAutoConfiguration} tells all listeners that are beans. */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(MeterRegistry.class)
    HoldfastMetrics holdfastMetrics(MeterRegistry registry) {
        return HoldfastMetrics.of(registry);
    }

    /** Once all beans are there, because the listener must exist before the Holdfast. */
    @Bean
    SmartInitializingSingleton holdfastGauges(
            ObjectProvider<HoldfastMetrics> metrics, ObjectProvider<Holdfast> holdfast) {
        return () -> metrics.ifUnique(found -> holdfast.ifUnique(found::watch));
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(ObservationRegistry.class)
    LockObservations lockObservations(ObservationRegistry registry) {
        return LockObservations.of(registry);
    }
}
