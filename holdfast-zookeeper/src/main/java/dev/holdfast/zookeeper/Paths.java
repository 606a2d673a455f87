package dev.holdfast.zookeeper;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where things are: {@code <base>/<bucket>/<name>/<owner>-<sequence>}. A name is one path element, whatever is in it. What is
 * not a lock has its kind behind the name, after a dot, which no encoded name has.
 *
 * <p>Buckets, because a list of children comes in one packet of at most one megabyte: a hundred thousand names under one
 * node could not be listed.
 */
record Paths(String base) {
    /**
     * Of the nodes and of what is in them: the last element of the base, and the first line of each claim. Two versions do not
     * see each other's claims.
     */
    static final String VERSION = "2";

    private static final String SEMAPHORE = ".semaphore";
    private static final String SLOTS = ".slots";
    private static final String READ_WRITE = ".rw";

    private static final String PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private static final String HEX = "0123456789ABCDEF";

    /** Everything of this version, under the node that all versions share. */
    static Paths below(String namespace) {
        return new Paths(namespace + "/" + VERSION);
    }

    /** The node that all versions share. */
    String namespace() {
        return base.substring(0, base.lastIndexOf('/'));
    }

    static boolean isVersion(String element) {
        return !element.isEmpty()
                && element.length() < 6
                && element.chars().allMatch(each -> each >= '0' && each <= '9');
    }

    /**
     * The node below which the claims for this key are: a container, which the server removes some time after its last
     * child.
     */
    String lock(String key) {
        String name = encode(LockKey.nameIn(key));
        String element = switch (LockKey.kindOf(key)) {
            case LOCK -> name;
            case SEMAPHORE -> name + SEMAPHORE;
            case READ_WRITE_LOCK -> name + READ_WRITE;
        };
        return base + "/" + bucket(key) + "/" + element;
    }

    /**
     * The node below which the slots of this semaphore are that are taken: also a container. Beside the claims and not among
     * them, so that their queue can be made anew while slots are taken.
     */
    String slots(String key) {
        return base + "/" + bucket(key) + "/" + encode(LockKey.nameIn(key)) + SLOTS;
    }

    String claim(String key, QueuedClaim queued) {
        return lock(key) + "/" + queued.child();
    }

    String slot(String key, TakenSlot taken) {
        return slots(key) + "/" + taken.child();
    }

    /** Where each session has its node. Not two hexadecimal digits, so it is no bucket. */
    String sessions() {
        return base + "/sessions";
    }

    static boolean isBucket(String element) {
        return element.length() == 2 && HEX.indexOf(element.charAt(0)) >= 0 && HEX.indexOf(element.charAt(1)) >= 0;
    }

    String bucket(String key) {
        int hash = key.hashCode();
        int bucket = (hash ^ hash >>> 8 ^ hash >>> 16 ^ hash >>> 24) & 0xff;
        return "" + HEX.charAt(bucket >> 4) + HEX.charAt(bucket & 15);
    }

    /** Bytes of UTF-8; all but letters, digits, dash and underscore as %XX. Dots too: {@code ..} is no path element. */
    static String encode(String name) {
        StringBuilder out = new StringBuilder(name.length() + 16);
        for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
            if (each > 0 && PLAIN.indexOf(each) >= 0) {
                out.append((char) each);
            } else {
                out.append('%').append(HEX.charAt(each >> 4 & 15)).append(HEX.charAt(each & 15));
            }
        }
        return out.toString();
    }

    /** The key that this element below a bucket stands for; empty if we did not make it: somebody else's node. */
    static Optional<String> key(String element) {
        int dot = element.indexOf('.');
        LockKind kind = dot < 0 ? LockKind.LOCK : kind(element.substring(dot));
        return kind == null
                ? Optional.empty()
                : name(dot < 0 ? element : element.substring(0, dot)).map(name -> new LockKey(kind, name).encoded());
    }

    private static @Nullable LockKind kind(String suffix) {
        return switch (suffix) {
            case SEMAPHORE, SLOTS -> LockKind.SEMAPHORE;
            case READ_WRITE -> LockKind.READ_WRITE_LOCK;
            default -> null;
        };
    }

    /** No name has control characters: what begins with one would be taken for the key of another kind. */
    private static Optional<String> name(String element) {
        String name = decode(element);
        return !name.isEmpty() && name.charAt(0) >= ' ' && encode(name).equals(element)
                ? Optional.of(name)
                : Optional.empty();
    }

    /** What {@link #encode} was given. */
    static String decode(String element) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(element.length());
        for (int i = 0; i < element.length(); i++) {
            char c = element.charAt(i);
            if (c == '%' && i + 2 < element.length()) {
                out.write(HEX.indexOf(element.charAt(i + 1)) << 4 | HEX.indexOf(element.charAt(i + 2)));
                i += 2;
            } else {
                out.write(c);
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }
}
