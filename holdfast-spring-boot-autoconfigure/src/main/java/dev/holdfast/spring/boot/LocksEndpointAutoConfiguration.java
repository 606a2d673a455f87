package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** {@code /actuator/locks}, where it is exposed. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnSingleCandidate(Holdfast.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
public class LocksEndpointAutoConfiguration {
    LocksEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    LocksEndpoint locksEndpoint(Holdfast holdfast) {
        return new LocksEndpoint(holdfast);
    }
}
