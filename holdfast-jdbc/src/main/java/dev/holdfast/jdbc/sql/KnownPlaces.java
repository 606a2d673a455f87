package dev.holdfast.jdbc.sql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Claims of this process that have a place in the queue, as far as we know, with the address that stands there. One that was given
 * up is withdrawn, and leaves with that. Safe for use by many threads.
 */
class KnownPlaces {
    /** How often a waiter that only looks says that it is still there; a third of {@link Steps#PATIENCE_MICROS}. */
    private static final long REFRESH_MICROS = 5_000_000;

    private final Map<String, String> inboxes = new ConcurrentHashMap<>();

    public boolean has(String owner) {
        return inboxes.containsKey(owner);
    }

    /** Whether it has a place, and can be told at that address. */
    public boolean has(String owner, String inbox) {
        return inbox.equals(inboxes.get(owner));
    }

    public void remove(String owner) {
        inboxes.remove(owner);
    }

    /** It has a place now. To be called after the commit: a place that was rolled back is none. */
    public void add(String owner, String inbox) {
        inboxes.put(owner, inbox);
    }

    public int size() {
        return inboxes.size();
    }

    /** Whether a place need not be kept from expiring yet. */
    static boolean isFresh(long expiresMicros, long nowMicros) {
        return expiresMicros - nowMicros > Steps.PATIENCE_MICROS - REFRESH_MICROS;
    }
}
