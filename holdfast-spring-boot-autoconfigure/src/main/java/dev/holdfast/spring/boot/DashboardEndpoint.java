package dev.holdfast.spring.boot;

import dev.holdfast.dashboard.Dashboard;
import java.security.Principal;
import java.util.Map;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@code POST /actuator/lockdashboard}: a link that opens the console, once. Whoever may call it may see the locks: it is exposed only
 * where {@code management.endpoints.web.exposure.include} names it, and what protects the other endpoints protects this one.
 */
@WebEndpoint(id = "lockdashboard")
final class DashboardEndpoint {
    private final Dashboard dashboard;

    DashboardEndpoint(Dashboard dashboard) {
        this.dashboard = dashboard;
    }

    /** For whoever asks; what is broken there is recorded with that name. */
    @WriteOperation
    Map<String, String> newLink(SecurityContext context) {
        Principal who = context.getPrincipal();
        return Map.of("link", (who == null ? dashboard.newLink() : dashboard.newLink(who.getName())).toString());
    }
}
