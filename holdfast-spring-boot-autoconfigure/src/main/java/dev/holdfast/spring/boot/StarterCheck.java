package dev.holdfast.spring.boot;

import org.springframework.boot.SpringBootVersion;

/** Tells an application that has the starter for another Spring Boot, which would start without a part of it. */
public final class StarterCheck {
    private StarterCheck() {}

    /**
     * Called by each starter.
     *
     * @param generation the first number of the Spring Boot that this starter is for
     * @param starter its name
     * @param other the starter for the other Spring Boot
     * @throws HoldfastStartupException if this is another Spring Boot
     */
    public static void require(int generation, String starter, String other) {
        require(SpringBootVersion.getVersion(), generation, starter, other);
    }

    static void require(String version, int generation, String starter, String other) {
        if (!version.startsWith(generation + ".")) {
            throw new HoldfastStartupException(
                    "This is Spring Boot " + version + ", and " + starter + " is for Spring Boot " + generation + ".",
                    "Replace the dependency dev.holdfast:" + starter + " by dev.holdfast:" + other + ".",
                    null);
        }
    }
}
