package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;
import dev.holdfast.dashboard.Dashboard;
import java.io.UncheckedIOException;

/** Opens the console as the properties say. */
final class DashboardSettings {
    private DashboardSettings() {}

    static Dashboard start(Holdfast holdfast, HoldfastProperties.Dashboard properties) {
        Dashboard.Builder builder = Dashboard.builder(holdfast).readOnly(properties.readOnly());
        try {
            builder.port(properties.port());
            if (properties.address() != null) {
                builder.listen(properties.address());
            }
            properties.hosts().forEach(builder::host);
            if (properties.password() != null) {
                builder.password(properties.password());
            }
            return builder.start();
        } catch (IllegalArgumentException | IllegalStateException | UncheckedIOException e) {
            throw new HoldfastStartupException(
                    "The console of Holdfast cannot be served: " + e.getMessage(),
                    "Set holdfast.dashboard.password, or change holdfast.dashboard.address, .port or .hosts, or set holdfast.dashboard.enabled=false.",
                    e);
        }
    }
}
