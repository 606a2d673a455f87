package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.etcd.rpc.RangeRequest;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where things are: {@code <namespace>/2/locks/<key><TAB><owner>} is a claim, where the key is that of core. It has neither tabs
 * nor line feeds, so a tab ends it; and because a tab sorts before every character of a name, keys are in the order of names.
 * Behind it, with a line feed instead of the tab, stands what several may have at a time: {@code <key><LF><owner>} is a reader
 * of a read-write lock, {@code <key><LF><number>} a slot of a semaphore.
 *
 * @param base with the version of this format in it. Two versions do not see each other's claims
 */
record Keys(String base) {
    /** Of the keys and of what is in them: the same number as on every other store. */
    static final String VERSION = "2";

    private static final Pattern VERSIONED = Pattern.compile("(\\d+)/(locks|clients)/");
    private static final Pattern AMONG_LOCKS = Pattern.compile("/\\d+/locks(/|$)");
    private static final char CLAIM = '\t';
    private static final char SHARE = '\n';
    private static final char BEHIND = '\u000b';
    private static final Pattern SLOT = Pattern.compile("0\\d{3}");

    /** Keys from the first to before the second. */
    record Range(ByteString from, ByteString end) {
        /** This one and no other. */
        static Range of(ByteString key) {
            return new Range(key, ByteString.EMPTY);
        }

        /** Not of a single one. */
        boolean contains(ByteString key) {
            Comparator<ByteString> order = ByteString.unsignedLexicographicalComparator();
            return order.compare(from, key) <= 0 && order.compare(key, end) < 0;
        }
    }

    /**
     * One that stands under a key.
     *
     * @param share whether it is a reader or a slot
     * @param last the owner, or the number of the slot
     */
    record ClaimKey(String key, boolean share, String last) {
        /** Not of a slot. */
        Owner owner() {
            return Owner.parse(last);
        }

        /** Zero unless it is one of a semaphore. */
        int slot() {
            return share && LockKey.kindOf(key) == LockKind.SEMAPHORE ? Integer.parseInt(last) : 0;
        }
    }

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

    /** All that stand under a key. */
    Range line(String key) {
        return range(key, CLAIM, LockKey.kindOf(key) == LockKind.LOCK ? SHARE : BEHIND);
    }

    /** Those that want all of it, and those that wait for a slot. */
    Range claims(String key) {
        return range(key, CLAIM, SHARE);
    }

    /** Readers, or slots that are taken. */
    Range shares(String key) {
        return range(key, SHARE, BEHIND);
    }

    /** The slots of a semaphore below this number. */
    Range slotsBelow(String key, int number) {
        return new Range(shares(key).from(), slot(key, number));
    }

    private Range range(String key, char from, char end) {
        return new Range(bytes(locks() + key + from), bytes(locks() + key + end));
    }

    ByteString claim(String key, Owner owner) {
        return bytes(locks() + key + CLAIM + owner);
    }

    ByteString reader(String key, Owner owner) {
        return bytes(locks() + key + SHARE + owner);
    }

    /** With leading zeros, so that they are in order. */
    ByteString slot(String key, int number) {
        return bytes(locks() + key + SHARE + String.format(Locale.ROOT, "%04d", number));
    }

    /** Where a tenure stands. */
    ByteString held(Holding holding) {
        if (LockKey.kindOf(holding.key()) == LockKind.SEMAPHORE) {
            return slot(holding.key(), holding.slot());
        }
        return holding.shared() ? reader(holding.key(), holding.owner()) : claim(holding.key(), holding.owner());
    }

    /** With which all begin that stand under the same key as this one, up to the tab or the line feed. */
    static ByteString keyOf(ByteString key) {
        int end = key.size() - 1;
        while (key.byteAt(end) != CLAIM && key.byteAt(end) != SHARE) {
            end--;
        }
        return key.substring(0, end);
    }

    /** All that stand under keys that begin so. */
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
        int end = Math.max(text.lastIndexOf(CLAIM), text.lastIndexOf(SHARE));
        if (!text.startsWith(locks()) || end <= locks().length()) {
            return Optional.empty();
        }
        ClaimKey found =
                new ClaimKey(text.substring(locks().length(), end), text.charAt(end) == SHARE, text.substring(end + 1));
        try {
            return isOurs(found) ? Optional.of(found) : Optional.empty();
        } catch (IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    private static boolean isOurs(ClaimKey found) {
        LockKey what = LockKey.decode(found.key());
        if (what.name().isEmpty()
                || found.key().indexOf(CLAIM) >= 0
                || found.key().indexOf(SHARE) >= 0) {
            return false;
        }
        if (found.share() && what.kind() != LockKind.READ_WRITE_LOCK) {
            return what.kind() == LockKind.SEMAPHORE
                    && SLOT.matcher(found.last()).matches();
        }
        return found.owner().toString().equals(found.last());
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
