package dev.holdfast.tck;

import dev.holdfast.Lease;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/** Who is on which slot, and the last token seen there: what a fenced resource would see. */
final class SlotRecord {
    private final AtomicIntegerArray inside;
    private final AtomicLongArray lastTokens;

    SlotRecord(int slots) {
        inside = new AtomicIntegerArray(slots);
        lastTokens = new AtomicLongArray(slots);
    }

    /** Returns false if there is no such slot, somebody is there already, or was with a token that is not below this one. */
    boolean enter(Lease lease) {
        if (lease.slot() >= inside.length()) {
            return false;
        }
        long token = lease.token().value();
        return inside.incrementAndGet(lease.slot()) == 1 && lastTokens.getAndSet(lease.slot(), token) < token;
    }

    void leave(Lease lease) {
        if (lease.slot() < inside.length()) {
            inside.decrementAndGet(lease.slot());
        }
    }
}
