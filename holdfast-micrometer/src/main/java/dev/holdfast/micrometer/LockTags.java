package dev.holdfast.micrometer;

import dev.holdfast.LockKind;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * Which tag stands for a lock. Names often hold a customer or an order: as tags they would make a time series for each.
 * So a function of the user's makes the tag, and of its answers only so many different ones are used.
 */
final class LockTags {
    static final String OTHER = "other";
    static final int MOST = 100;

    private final UnaryOperator<String> function;
    private final Set<String> used = ConcurrentHashMap.newKeySet();

    LockTags(UnaryOperator<String> function) {
        this.function = function;
    }

    /** What stands before the first colon; names without one share a tag. */
    static String beforeColon(String name) {
        int colon = name.indexOf(':');
        return colon > 0 ? name.substring(0, colon) : OTHER;
    }

    /** lock, semaphore or read-write-lock. */
    static String kind(LockKind kind) {
        return kind.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String of(String name) {
        String tag = function.apply(name);
        // Some monitoring systems drop a meter whose tag is empty.
        if (tag == null || tag.isBlank() || tag.equals(OTHER)) {
            return OTHER;
        }
        // Two threads may both add the last one: one more than the limit does no harm.
        if (!used.contains(tag) && used.size() >= MOST) {
            return OTHER;
        }
        used.add(tag);
        return tag;
    }
}
