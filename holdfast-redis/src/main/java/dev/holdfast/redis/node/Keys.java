package dev.holdfast.redis.node;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * What our keys and channels are called. The wire version is part of everything that belongs to locks, so two versions never
 * read each other's values. All keys of a name share a hash tag, so that one script may touch them in a cluster. What is called
 * a key in the SPI ({@link LockKey}) is a name here if it is a lock's; each kind has keys of its own.
 *
 * <p>The guard of users' data has no version in its keys. They last as long as the data, and under another name the newest
 * token would be forgotten: a stale write would pass. So their prefix and what they hold, one token as digits, never change.
 */
public final class Keys {
    /** Names share counters, so the memory that outlives all locks is bounded by the buckets. */
    public static final int BUCKETS = 1024;

    private static final int WIRE_VERSION = 2;
    private static final String VERSION = "holdfast:" + WIRE_VERSION + ":";
    private static final String GUARD = "holdfast:guard:";
    private static final String LOCK = "}:lock:";
    private static final String SLOT = "}:slot:";
    private static final String SLOT_QUEUE = "}:slotqueue:";
    private static final String RW = "}:rw:";
    /** As many slots as a semaphore of this version can have. */
    private static final int MOST_SLOTS = 1000;

    private static final Pattern OTHER_VERSION = Pattern.compile(
            "holdfast:(?<version>\\d{1,9}):(?<namespace>[^{]*)\\{\\d+}:(?<what>fence$|[a-z]+:).*", Pattern.DOTALL);
    private static final Pattern SLOT_NUMBER = Pattern.compile("\\d{1,9}");
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final String prefix;

    private Keys(String prefix) {
        this.prefix = prefix;
    }

    public static Keys standard() {
        return new Keys(VERSION);
    }

    public static Keys inNamespace(String namespace) {
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new IllegalArgumentException(
                    "A namespace has 1 to 64 letters, digits, dots, dashes or underscores, because it is part of every key"
                            + " and of the ACL line: '" + namespace + "'");
        }
        return new Keys(VERSION + namespace + ":");
    }

    /**
     * The keys of a quorum, apart from those of a lock on one of its servers alone. No namespace holds a slash, so the two
     * cannot meet.
     */
    public Keys ofQuorum() {
        return new Keys(prefix + "quorum/");
    }

    /** What every key and channel begins with. */
    public String prefix() {
        return prefix;
    }

    /** Lock, queue and fence, in the order in which scripts expect them. */
    public String[] of(String name) {
        String bucket = bucketPrefix(name);
        return new String[] {bucket + "}:lock:" + name, bucket + "}:queue:" + name, bucket + "}:fence"};
    }

    public String lock(String name) {
        return bucketPrefix(name) + LOCK + name;
    }

    public String queue(String name) {
        return bucketPrefix(name) + "}:queue:" + name;
    }

    // ---- semaphores and read-write locks

    /** Of a claim, in the order in which scripts expect them. Of a semaphore: queue, fence and the first so many slots. */
    public String[] ofClaim(String key, int slots) {
        return switch (LockKey.kindOf(key)) {
            case LOCK -> of(key);
            case SEMAPHORE -> ofSlots(LockKey.nameIn(key), slots, true);
            case READ_WRITE_LOCK -> ofReadWriteLock(LockKey.nameIn(key));
        };
    }

    /** Of a tenure, in the order in which scripts expect them. Of a semaphore: queue, fence and that slot. */
    public String[] ofTenure(String key, int slot) {
        if (LockKey.kindOf(key) != LockKind.SEMAPHORE) {
            return ofClaim(key, 1);
        }
        String name = LockKey.nameIn(key);
        return new String[] {slotQueue(name), bucketPrefix(name) + "}:fence", slot(name, slot)};
    }

    /**
     * Of a claim that is looked after. Of a lock: lock and queue; of a semaphore: queue and slots; of a read-write lock: holders, queue,
     * and who was seen.
     */
    public String[] ofLook(String key, int slots) {
        String name = LockKey.nameIn(key);
        return switch (LockKey.kindOf(key)) {
            case LOCK -> new String[] {lock(name), queue(name)};
            case SEMAPHORE -> ofSlots(name, slots, false);
            case READ_WRITE_LOCK -> {
                String[] all = ofReadWriteLock(name);
                yield new String[] {all[0], all[1], all[3]};
            }
        };
    }

    /** The queue, and all slots that there can be. */
    String[] ofAllSlots(String name) {
        return ofSlots(name, MOST_SLOTS, false);
    }

    private String[] ofSlots(String name, int slots, boolean withFence) {
        int before = withFence ? 2 : 1;
        String[] all = new String[before + slots];
        all[0] = slotQueue(name);
        if (withFence) {
            all[1] = bucketPrefix(name) + "}:fence";
        }
        for (int slot = 0; slot < slots; slot++) {
            all[before + slot] = slot(name, slot);
        }
        return all;
    }

    private String[] ofReadWriteLock(String name) {
        String bucket = bucketPrefix(name);
        return new String[] {
            bucket + RW + name, bucket + "}:rwqueue:" + name, bucket + "}:fence", bucket + "}:rwseen:" + name
        };
    }

    /** A slot of the semaphore of this name. */
    public String slot(String name, int slot) {
        return bucketPrefix(name) + SLOT + slot + ":" + name;
    }

    /** The one queue for all slots of the semaphore of this name. */
    public String slotQueue(String name) {
        return bucketPrefix(name) + SLOT_QUEUE + name;
    }

    /** Who holds the read-write lock of this name. */
    public String readWriteLock(String name) {
        return bucketPrefix(name) + RW + name;
    }

    /** Who waits for the read-write lock of this name. */
    public String readWriteQueue(String name) {
        return bucketPrefix(name) + "}:rwqueue:" + name;
    }

    // ---- quorums

    /** Lock, queue, fence and the admission record, in the order in which the scripts of a quorum expect them. */
    public String[] ofQuorum(String name) {
        String[] all = Arrays.copyOf(of(name), 4);
        all[3] = admission();
        return all;
    }

    public String admission() {
        return prefix + "admission";
    }

    /** Whoever has this at a majority may replace a server. */
    public String replacement() {
        return prefix + "replacement";
    }

    /** The admission record and the counters of all buckets. */
    public String[] ledger() {
        String[] all = new String[1 + BUCKETS];
        all[0] = admission();
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            all[1 + bucket] = prefix + '{' + bucket + "}:fence";
        }
        return all;
    }

    public String inbox(String id) {
        return prefix + "inbox:" + id;
    }

    private String bucketPrefix(String name) {
        return prefix + '{' + bucket(name);
    }

    /**
     * CRC-32 of the name's UTF-8, modulo the number of buckets: every client must come to the same one.
     *
     * @param key a name, or the key of another kind: then its name counts
     */
    public static int bucket(String key) {
        CRC32 crc = new CRC32();
        crc.update(LockKey.nameIn(key).getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % BUCKETS);
    }

    // ---- what there is

    /** For SCAN: the locks whose names begin so, and perhaps some more that {@link #nameOf} sorts out. */
    public String scanPattern(String namePrefix) {
        return pattern(LOCK, namePrefix);
    }

    /** For SCAN: what holders of keys with this beginning have, and perhaps some more that {@link #holding} sorts out. */
    String scanPatternOfKeys(String keyPrefix) {
        if (!keyPrefix.isEmpty()) {
            try {
                String name = LockKey.nameIn(keyPrefix);
                return switch (LockKey.kindOf(keyPrefix)) {
                    case LOCK -> pattern(LOCK, name);
                    case SEMAPHORE -> pattern(SLOT + "*:", name);
                    case READ_WRITE_LOCK -> pattern(RW, name);
                };
            } catch (IllegalArgumentException onlyAPartOfAMark) {
                // The keys that are found are compared with all of it.
            }
        }
        return pattern("}:", "");
    }

    private String pattern(String what, String namePrefix) {
        StringBuilder pattern = new StringBuilder(prefix).append("{*").append(what);
        for (int i = 0; i < namePrefix.length(); i++) {
            char c = namePrefix.charAt(i);
            if ("*?[]\\".indexOf(c) >= 0) {
                pattern.append('\\');
            }
            pattern.append(c);
        }
        return pattern.append('*').toString();
    }

    /** The name in a lock's key; null if it is not a key of ours. */
    @Nullable
    public String nameOf(String key) {
        int at = key.indexOf(LOCK);
        if (at < 0 || !key.startsWith(prefix)) {
            return null;
        }
        String name = key.substring(at + LOCK.length());
        return lock(name).equals(key) ? name : null;
    }

    /** What somebody may hold: a key as in {@link LockKey}, and the slot if it is a semaphore's. */
    record Held(String key, int slot) implements Comparable<Held> {
        @Override
        public int compareTo(Held other) {
            int byKey = key.compareTo(other.key);
            return byKey != 0 ? byKey : Integer.compare(slot, other.slot);
        }
    }

    /** What stands under this key at the server: a lock, a slot, or the holders of a read-write lock; null if it is none of ours. */
    @Nullable
    Held holding(String redisKey) {
        String name = nameOf(redisKey);
        if (name != null) {
            return new Held(name, 0);
        }
        int at = redisKey.startsWith(prefix) ? redisKey.indexOf('}') : -1;
        if (at < 0) {
            return null;
        }
        if (redisKey.startsWith(RW, at)) {
            String rw = redisKey.substring(at + RW.length());
            return readWriteLock(rw).equals(redisKey)
                    ? new Held(LockKey.readWriteLock(rw).encoded(), 0)
                    : null;
        }
        int colon = redisKey.startsWith(SLOT, at) ? redisKey.indexOf(':', at + SLOT.length()) : -1;
        if (colon < 0) {
            return null;
        }
        String number = redisKey.substring(at + SLOT.length(), colon);
        String semaphore = redisKey.substring(colon + 1);
        return SLOT_NUMBER.matcher(number).matches()
                        && slot(semaphore, Integer.parseInt(number)).equals(redisKey)
                ? new Held(LockKey.semaphore(semaphore).encoded(), Integer.parseInt(number))
                : null;
    }

    // ---- other wire versions

    /** For SCAN: what clients of other wire versions keep under this namespace, and perhaps some more. */
    public String otherVersionsPattern() {
        String otherDigits = "0123456789".replace(Integer.toString(WIRE_VERSION), "");
        return "holdfast:[" + otherDigits + "]*:" + prefix.substring(VERSION.length()) + "{*";
    }

    /** What {@link #otherVersionsPattern} finds. */
    public record OtherVersion(int version, boolean isInUse) {}

    /**
     * Whose key this is: of a client of another wire version, with the same namespace. Null if it is not such a key. Locks and
     * queues expire, so they are in use; counters stay for ever.
     */
    public @Nullable OtherVersion otherVersion(String key) {
        Matcher matcher = OTHER_VERSION.matcher(key);
        if (!matcher.matches() || !matcher.group("namespace").equals(prefix.substring(VERSION.length()))) {
            return null;
        }
        int version = Integer.parseInt(matcher.group("version"));
        return version == WIRE_VERSION
                ? null
                : new OtherVersion(version, !matcher.group("what").equals("fence"));
    }

    // ---- the guard of users' data

    /**
     * Where the newest token for a key of the user's stands: in the slot of the data, so that a script can touch both, in a
     * cluster too.
     *
     * @throws IllegalArgumentException for a key with a closing brace and no hash tag: no other key can be put beside it
     */
    public static String guard(String key) {
        Objects.requireNonNull(key, "key");
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open + 1);
        if (close > open + 1) {
            return GUARD + key.substring(open, close + 1) + ":" + key;
        }
        if (key.isEmpty() || key.indexOf('}') >= 0) {
            throw new IllegalArgumentException("No key can be kept in the same slot as '" + key
                    + "': give it a hash tag in braces, or leave braces out of its name.");
        }
        return GUARD + "{" + key + "}";
    }
}
