package dev.holdfast.spi;

import dev.holdfast.LockKey;
import java.time.Duration;

/**
 * A tenure as the backend knows it: what to renew or to release.
 *
 * @param key what is held: see {@link LockKey}
 * @param lastToken as granted. A backend compares it beside the owner, so that a renewal cannot touch another grant
 * @param lease what a renewal extends to
 * @param slot as granted; 0 unless it is of a semaphore
 * @param shared whether it is a reader's
 */
public record Holding(String key, Owner owner, long lastToken, Duration lease, int slot, boolean shared) {
    /** Of the whole. */
    public Holding(String key, Owner owner, long lastToken, Duration lease) {
        this(key, owner, lastToken, lease, 0, false);
    }
}
