package dev.holdfast.spring.boot;

import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Hands properties to the builders that check them, and names the property that was refused. */
final class Setting {
    private Setting() {}

    /** Does nothing if the property is not set. */
    static <T> void apply(String property, @Nullable T value, Consumer<T> setter) {
        if (value != null) {
            checked(property, () -> {
                setter.accept(value);
                return value;
            });
        }
    }

    static <T> T checked(String property, Supplier<T> action) {
        try {
            return action.get();
        } catch (IllegalArgumentException e) {
            throw new HoldfastStartupException(
                    "The property " + property + " cannot be used: " + e.getMessage(), "Change " + property + ".", e);
        }
    }
}
