package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.holdfast.Lease;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class CoreOnlyTest {
    @Test
    void aClientOfTheJdkNeedsNothingButCore() throws Exception {
        URL[] places = {place(HoldfastHeaders.class), place(Lease.class), place(Logger.class)};
        try (URLClassLoader alone = new URLClassLoader(places, ClassLoader.getPlatformClassLoader())) {
            for (Class<?> needed : List.of(HoldfastHeaders.class, TokenHeader.class)) {
                // Looks up every type that a signature names.
                assertThat(alone.loadClass(needed.getName()).getMethods()).isNotEmpty();
            }
            Object header = alone.loadClass(TokenHeader.class.getName())
                    .getMethod("parse", String.class)
                    .invoke(null, "1:5");
            assertThat(header).hasToString("1:5");
            assertThatExceptionOfType(ClassNotFoundException.class)
                    .isThrownBy(() -> alone.loadClass("jakarta.servlet.Filter"));
        }
    }

    private static URL place(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }
}
