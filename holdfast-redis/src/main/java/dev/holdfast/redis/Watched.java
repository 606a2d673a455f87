package dev.holdfast.redis;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;

/**
 * What a hand-over is watched for: a key or, of a semaphore, one of its slots, because each has a window of its own. As text,
 * which is the key alone where there are no slots.
 *
 * @param key as in {@link LockKey}
 */
record Watched(String key, int slot) {
    /** No name has it. */
    private static final char BEFORE_SLOT = '\u001f';

    static String text(String key, int slot) {
        return LockKey.kindOf(key) == LockKind.SEMAPHORE ? key + BEFORE_SLOT + slot : key;
    }

    static Watched parse(String text) {
        if (LockKey.kindOf(text) != LockKind.SEMAPHORE) {
            return new Watched(text, 0);
        }
        int at = text.lastIndexOf(BEFORE_SLOT);
        return new Watched(text.substring(0, at), Integer.parseInt(text.substring(at + 1)));
    }
}
