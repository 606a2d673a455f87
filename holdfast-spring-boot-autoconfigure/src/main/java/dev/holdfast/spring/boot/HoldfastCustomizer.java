package dev.holdfast.spring.boot;

import dev.holdfast.Holdfast;

/** A bean of this type changes how the {@link Holdfast} is built, after the properties were applied. */
@FunctionalInterface
public interface HoldfastCustomizer {
    /** Changes what it likes. */
    void customize(Holdfast.Builder builder);
}
