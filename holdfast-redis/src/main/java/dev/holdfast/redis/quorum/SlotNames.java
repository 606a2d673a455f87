package dev.holdfast.redis.quorum;

import dev.holdfast.LockKey;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The slots of a semaphore are locks of their own, with one queue for all of them. The name of a slot is the key of its semaphore
 * with the number behind a control character, which no key has behind its first. Whatever is no semaphore is one lock, and its
 * name is its key.
 */
final class SlotNames {
    private static final char MARK = '\u001f';
    private static final String SEMAPHORE = LockKey.semaphore("").encoded();
    private static final Pattern SLOT =
            Pattern.compile(SEMAPHORE + "[^" + MARK + "]*" + MARK + "\\d{1,6}", Pattern.DOTALL);

    private SlotNames() {}

    static String of(String key, int slot) {
        return isSemaphore(key) ? key + MARK + slot : key;
    }

    /** Those from 0, or the one lock. */
    static List<String> below(String key, int slots) {
        return isSemaphore(key)
                ? IntStream.range(0, slots).mapToObj(slot -> of(key, slot)).toList()
                : List.of(key);
    }

    /** What the slots of this semaphore begin with, and nothing else. */
    static String prefix(String key) {
        return key + MARK;
    }

    /** Whether this can be the name of a lock or of a slot: it may come from elsewhere. */
    static boolean isPossible(String name) {
        return name.indexOf(MARK) < 0 || SLOT.matcher(name).matches();
    }

    static String keyOf(String name) {
        int at = name.lastIndexOf(MARK);
        return at > 0 ? name.substring(0, at) : name;
    }

    /** 0 for what is no slot. */
    static int slotOf(String name) {
        int at = name.lastIndexOf(MARK);
        return at > 0 ? Integer.parseInt(name, at + 1, name.length(), 10) : 0;
    }

    /** Also of the name of a slot. */
    static boolean isSemaphore(String key) {
        return key.startsWith(SEMAPHORE);
    }
}
