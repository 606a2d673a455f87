package dev.holdfast.spring;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image must keep of this module. What depends on the application's methods adds {@link LockedAotProcessor}. */
final class LockingRuntimeHints implements RuntimeHintsRegistrar {
    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.reflection()
                .registerType(Locked.class, MemberCategory.INVOKE_DECLARED_METHODS)
                .registerType(Locked.Several.class, MemberCategory.INVOKE_DECLARED_METHODS)
                // The expressions of keys call its getters.
                .registerType(KeyRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
