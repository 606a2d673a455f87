package dev.holdfast.redis.lettuce;

import io.lettuce.core.ClientOptions;
import java.lang.reflect.Method;

/**
 * Lettuce 7 asks servers to announce their maintenance, with a command that the least privileged user may not send, and
 * moves connections on its own when they do. We compile against Lettuce 6.6, which knows nothing of it, so the switch is
 * looked up by name.
 */
final class MaintenanceNotifications {
    private static final String CONFIGURATION = "io.lettuce.core.MaintNotificationsConfig";

    private MaintenanceNotifications() {}

    static ClientOptions.Builder off(ClientOptions.Builder options) {
        Class<?> configuration;
        try {
            configuration = Class.forName(CONFIGURATION, true, ClientOptions.class.getClassLoader());
        } catch (ClassNotFoundException olderLettuce) {
            return options;
        }
        try {
            Object disabled = configuration.getMethod("disabled").invoke(null);
            Method setter = ClientOptions.Builder.class.getMethod("maintNotificationsConfig", configuration);
            setter.invoke(options, disabled);
            return options;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "This version of Lettuce has maintenance notifications that cannot be switched off the way Holdfast"
                            + " knows: use one of the versions that docs/redis.md names.",
                    e);
        }
    }
}
