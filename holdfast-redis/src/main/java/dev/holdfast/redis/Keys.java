package dev.holdfast.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * What our keys and channels are called. The wire version is part of every one of them, so two versions never read each
 * other's values. All keys of a name share a hash tag, so that one script may touch them in a cluster.
 */
final class Keys {
    /** Names share counters, so the memory that outlives all locks is bounded by the buckets. */
    static final int BUCKETS = 1024;

    private static final String VERSION = "holdfast:1:";
    private static final String LOCK = "}:lock:";
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    private final String prefix;

    private Keys(String prefix) {
        this.prefix = prefix;
    }

    static Keys standard() {
        return new Keys(VERSION);
    }

    static Keys inNamespace(String namespace) {
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
    Keys ofQuorum() {
        return new Keys(prefix + "quorum/");
    }

    /** What every key and channel begins with. */
    String prefix() {
        return prefix;
    }

    /** Lock, queue and fence, in the order in which scripts expect them. */
    String[] of(String name) {
        String bucket = bucketPrefix(name);
        return new String[] {bucket + "}:lock:" + name, bucket + "}:queue:" + name, bucket + "}:fence"};
    }

    String lock(String name) {
        return bucketPrefix(name) + LOCK + name;
    }

    String queue(String name) {
        return bucketPrefix(name) + "}:queue:" + name;
    }

    /** Lock, queue, fence and the admission record, in the order in which the scripts of a quorum expect them. */
    String[] ofQuorum(String name) {
        String[] all = Arrays.copyOf(of(name), 4);
        all[3] = admission();
        return all;
    }

    String admission() {
        return prefix + "admission";
    }

    /** The admission record and the counters of all buckets. */
    String[] ledger() {
        String[] all = new String[1 + BUCKETS];
        all[0] = admission();
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            all[1 + bucket] = prefix + '{' + bucket + "}:fence";
        }
        return all;
    }

    String inbox(String id) {
        return prefix + "inbox:" + id;
    }

    private String bucketPrefix(String name) {
        return prefix + '{' + bucket(name);
    }

    /** CRC-32 of the name's UTF-8, modulo the number of buckets: every client must come to the same one. */
    static int bucket(String name) {
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        return (int) (crc.getValue() % BUCKETS);
    }

    /** For SCAN: the locks whose names begin so, and perhaps some more that {@link #nameOf} sorts out. */
    String scanPattern(String namePrefix) {
        StringBuilder pattern = new StringBuilder(prefix).append("{*").append(LOCK);
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
    String nameOf(String key) {
        int at = key.indexOf(LOCK);
        if (at < 0 || !key.startsWith(prefix)) {
            return null;
        }
        String name = key.substring(at + LOCK.length());
        return lock(name).equals(key) ? name : null;
    }
}
