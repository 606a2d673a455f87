package dev.holdfast.dashboard.web;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The browsers that were let in, by the digest of their cookie. At most so many: the one that was longest away goes first. Safe for use
 * by many threads; the map is guarded by this.
 */
final class Sessions {
    private static final int MOST = 200;
    /** A day's work. A browser that was away for longer has to be let in again. */
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.HOURS.toNanos(12);

    private final LongSupplier nanoTime;
    private final Map<String, Entry> byDigest = new LinkedHashMap<>(16, 0.75f, true);

    Sessions(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    private static final class Entry {
        final Session session;
        long usedAt;

        Entry(Session session, long usedAt) {
            this.session = session;
            this.usedAt = usedAt;
        }
    }

    /** Lets somebody in. Returns what the cookie holds. */
    synchronized String add(Session session) {
        String cookie = Randoms.secret();
        byDigest.put(Randoms.digestText(cookie), new Entry(session, nanoTime.getAsLong()));
        if (byDigest.size() > MOST) {
            byDigest.remove(byDigest.keySet().iterator().next());
        }
        return cookie;
    }

    synchronized @Nullable Session find(String cookie) {
        String digest = Randoms.digestText(cookie);
        Entry entry = byDigest.get(digest);
        if (entry == null) {
            return null;
        }
        long now = nanoTime.getAsLong();
        if (now - entry.usedAt > LONGEST_PAUSE_NANOS) {
            byDigest.remove(digest);
            return null;
        }
        entry.usedAt = now;
        return entry.session;
    }

    synchronized void remove(String cookie) {
        byDigest.remove(Randoms.digestText(cookie));
    }
}
