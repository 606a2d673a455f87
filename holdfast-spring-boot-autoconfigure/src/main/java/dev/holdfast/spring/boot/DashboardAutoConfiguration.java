package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import dev.holdfast.dashboard.Dashboard;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The console in the browser, where it is asked for, and {@code /actuator/lockdashboard}, which gives links to it. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnClass(Dashboard.class)
@ConditionalOnSingleCandidate(Holdfast.class)
@ConditionalOnProperty(name = "holdfast.dashboard.enabled", havingValue = "true")
public class DashboardAutoConfiguration {
    DashboardAutoConfiguration() {}

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Dashboard holdfastDashboard(Holdfast holdfast, HoldfastProperties properties) {
        return DashboardSettings.start(holdfast, properties.dashboard());
    }

    @Bean
    DashboardLifecycle holdfastDashboardLifecycle(Dashboard dashboard) {
        return new DashboardLifecycle(dashboard);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({WebEndpoint.class, ConditionalOnAvailableEndpoint.class})
    @ConditionalOnAvailableEndpoint(DashboardEndpoint.class)
    static class EndpointConfiguration {
        @Bean
        @ConditionalOnMissingBean
        DashboardEndpoint holdfastDashboardEndpoint(Dashboard dashboard) {
            return new DashboardEndpoint(dashboard);
        }
    }
}
