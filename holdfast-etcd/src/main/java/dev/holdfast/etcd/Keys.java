package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.etcd.rpc.RangeRequest;
import dev.holdfast.spi.Owner;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where things are: {@code <namespace>/2/locks/<name><TAB><owner>}. A name has no control characters, so the tab ends it; and
 * because a tab sorts before every character of a name, keys are in the order of their names.
 *
 * @param base with the version of this format in it. Two versions do not see each other's claims
 */
record Keys(String base) {
    /** Of the keys and of what is in them: the same number as on every other store. */
    static final String VERSION = "2";

    private static final Pattern VERSIONED = Pattern.compile("(\\d+)/(locks|clients)/");
    private static final Pattern AMONG_LOCKS = Pattern.compile("/\\d+/locks(/|$)");
    private static final char END_OF_NAME = '\t';
    private static final int OWNER_LENGTH = 22;

    /** @param name of the lock */
    record ClaimKey(String name, Owner owner) {}

    /**
     * Whether keys below it could be those of locks in a namespace that it begins with, of this version or of another: the lock
     * {@code b} in {@code shop/2/locks/a} and {@code a/2/locks/b} in {@code shop} would be one.
     */
    static boolean isAmongLocks(String namespace) {
        return AMONG_LOCKS.matcher(namespace).find();
    }

    static Keys below(String namespace) {
        return new Keys(namespace + "/" + VERSION + "/");
    }

    String locks() {
        return base + "locks/";
    }

    /** What all claims for a name begin with, and no other key of ours does. */
    ByteString queue(String name) {
        return bytes(locks() + name + END_OF_NAME);
    }

    ByteString claim(String name, Owner owner) {
        return bytes(locks() + name + END_OF_NAME + owner);
    }

    /** Of the key of a claim. */
    static ByteString queueOf(ByteString claim) {
        return claim.substring(0, claim.size() - OWNER_LENGTH);
    }

    /** All claims for names that begin so. */
    ByteString names(String prefix) {
        return bytes(locks() + prefix);
    }

    /** The guard of a lease: see {@link ServerLease}. */
    ByteString guard(long leaseId) {
        return bytes(base + "clients/" + Long.toHexString(leaseId));
    }

    /** Reads of some keys in the namespace that are not of this version: those in front of it, and those behind. */
    List<RangeRequest> besideThisVersion() {
        ByteString all = bytes(namespace());
        ByteString ours = bytes(base);
        return List.of(some(all, ours), some(endOf(ours), endOf(all)));
    }

    private static RangeRequest some(ByteString from, ByteString end) {
        return RangeRequest.newBuilder()
                .setKey(from)
                .setRangeEnd(end)
                .setKeysOnly(true)
                .setLimit(100)
                .build();
    }

    /** Empty: not a key of Holdfast's. */
    Optional<String> versionOf(ByteString key) {
        Matcher matcher =
                VERSIONED.matcher(key.toStringUtf8().substring(namespace().length()));
        return matcher.lookingAt() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    private String namespace() {
        return base.substring(0, base.length() - VERSION.length() - 1);
    }

    /** Empty: somebody else put that key there. It holds nothing. */
    Optional<ClaimKey> parse(ByteString key) {
        String text = key.toStringUtf8();
        int end = text.length() - OWNER_LENGTH - 1;
        if (!text.startsWith(locks()) || end <= locks().length() || text.charAt(end) != END_OF_NAME) {
            return Optional.empty();
        }
        String name = text.substring(locks().length(), end);
        if (name.indexOf(END_OF_NAME) >= 0) {
            return Optional.empty();
        }
        try {
            return Optional.of(new ClaimKey(name, Owner.parse(text.substring(end + 1))));
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    /** The first key that does not begin so any more: the end of a range. */
    static ByteString endOf(ByteString prefix) {
        byte[] end = prefix.toByteArray();
        for (int i = end.length - 1; i >= 0; i--) {
            if (end[i] != (byte) 0xff) {
                end[i]++;
                return ByteString.copyFrom(end, 0, i + 1);
            }
        }
        throw new IllegalArgumentException("A prefix of ours is text, and no text has this byte");
    }

    static ByteString bytes(String text) {
        return ByteString.copyFrom(text, StandardCharsets.UTF_8);
    }
}
