package dev.holdfast.spring.boot;

import dev.holdfast.spi.Secrets;
import org.jspecify.annotations.Nullable;

/** Why an application with Holdfast cannot start, and what to do about it. Passwords are masked. */
public final class HoldfastStartupException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    HoldfastStartupException(String description, String action, @Nullable Throwable cause) {
        super(Secrets.mask(description), cause == null ? null : Secrets.mask(cause));
        this.action = Secrets.mask(action);
    }

    /** What to do about it. */
    public String action() {
        return action;
    }
}
