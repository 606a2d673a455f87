package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;

/** The properties that are not about one kind of store. */
final class HoldfastSettings {
    private HoldfastSettings() {}

    /** @param application the name of the application; may be empty */
    static void apply(HoldfastProperties properties, String application, Holdfast.Builder builder) {
        Setting.apply("holdfast.lease", properties.lease(), builder::lease);
        Setting.apply("holdfast.max-lease", properties.maxLease(), builder::maxLease);
        Setting.apply("holdfast.unavailable-after", properties.unavailableAfter(), builder::unavailableAfter);
        Setting.apply("holdfast.close-grace", properties.closeGrace(), builder::closeGrace);
        Setting.apply("holdfast.cohort", properties.cohort(), builder::cohort);
        String description = properties.description() == null ? application : properties.description();
        Setting.apply("holdfast.description", description, builder::describedAs);
    }
}
