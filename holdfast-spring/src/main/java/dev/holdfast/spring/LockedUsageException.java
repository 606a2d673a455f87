package dev.holdfast.spring;

import java.util.List;

/**
 * {@link Locked} stands where it cannot work, so the application does not start. The message names every method and what is wrong
 * with it.
 */
public final class LockedUsageException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    LockedUsageException(List<String> problems) {
        super("@Locked cannot work as it is used here:\n  - " + String.join("\n  - ", problems));
    }
}
