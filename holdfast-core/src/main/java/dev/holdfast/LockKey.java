package dev.holdfast;

import java.io.Serializable;
import java.util.Objects;

/**
 * A name, and what kind of thing it names. Immutable.
 *
 * <p>At the SPI a key is one text, so that a store can file all kinds alike: of a lock it is the name; of the others it begins
 * with a control character, which no name has. So no name of a lock is ever the key of something else.
 *
 * @param name as users chose it
 */
public record LockKey(LockKind kind, String name) implements Serializable {
    private static final char MARK = '\u001f';
    private static final String SEMAPHORE = MARK + "semaphore:";
    private static final String READ_WRITE_LOCK = MARK + "rw:";

    public LockKey {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(name, "name");
    }

    /** The lock of this name. */
    public static LockKey lock(String name) {
        return new LockKey(LockKind.LOCK, name);
    }

    /** The semaphore of this name. */
    public static LockKey semaphore(String name) {
        return new LockKey(LockKind.SEMAPHORE, name);
    }

    /** The read-write lock of this name. */
    public static LockKey readWriteLock(String name) {
        return new LockKey(LockKind.READ_WRITE_LOCK, name);
    }

    /** For backends: as one text, see above. */
    public String encoded() {
        return switch (kind) {
            case LOCK -> name;
            case SEMAPHORE -> SEMAPHORE + name;
            case READ_WRITE_LOCK -> READ_WRITE_LOCK + name;
        };
    }

    /**
     * For backends: reads what {@link #encoded} wrote.
     *
     * @throws IllegalArgumentException if it is marked as a kind that this version does not know
     */
    public static LockKey decode(String key) {
        return new LockKey(kindOf(key), nameIn(key));
    }

    /**
     * For backends: the kind of this encoded key.
     *
     * @throws IllegalArgumentException if it is marked as a kind that this version does not know
     */
    public static LockKind kindOf(String key) {
        if (key.isEmpty() || key.charAt(0) != MARK) {
            return LockKind.LOCK;
        }
        if (key.startsWith(SEMAPHORE)) {
            return LockKind.SEMAPHORE;
        }
        if (key.startsWith(READ_WRITE_LOCK)) {
            return LockKind.READ_WRITE_LOCK;
        }
        throw new IllegalArgumentException(
                "A key of a kind that this version does not know: '" + Texts.oneLine(key) + "'");
    }

    /** For backends: the name in this encoded key. */
    public static String nameIn(String key) {
        return switch (kindOf(key)) {
            case LOCK -> key;
            case SEMAPHORE -> key.substring(SEMAPHORE.length());
            case READ_WRITE_LOCK -> key.substring(READ_WRITE_LOCK.length());
        };
    }

    /** For messages, for example: semaphore 'exports'. */
    static String describe(String key) {
        return decode(key).toString();
    }

    /** The same as the first words of a sentence. */
    static String describeCapitalized(String key) {
        String text = describe(key);
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    @Override
    public String toString() {
        return kind + " '" + name + "'";
    }
}
