package dev.holdfast.proving.fault;

import dev.holdfast.proving.subject.Store;
import java.io.IOException;
import java.util.Set;

/**
 * Something that goes wrong, and is mended again. Both happen while the holder of each subject has the lock in its hands.
 *
 * @param title for people, after "while somebody holds the lock:"
 * @param stores where it can happen
 * @param where what it hits: two faults at once must not hit the same
 * @param needs what of ours must stand between a process and the machine
 * @param lasts whether it goes on past the lease before it is mended; otherwise it is over at once
 * @param unreachable who cannot reach the store meanwhile
 * @param prepare what has to be so before the holder takes the lock
 */
public record Fault(
        String name,
        String title,
        Set<Store> stores,
        Where where,
        Needs needs,
        boolean lasts,
        Unreachable unreachable,
        Step prepare,
        Step begin,
        Step end) {
    private static final Step NOTHING = scene -> {};

    /** What a fault hits. In this order faults that come together are mended, so that nobody waits for what is still broken. */
    public enum Where {
        NETWORK,
        SERVERS,
        CLIENTS
    }

    /** What not every machine lets us do. */
    public enum Needs {
        NOTHING,
        CLOCK,
        DISK
    }

    /** Who is certainly cut off from the store while the fault is in force. */
    public enum Unreachable {
        NOBODY,
        HOLDER,
        ALL
    }

    /** Makes a fault or mends it. */
    public interface Step {
        void run(Scene scene) throws IOException, InterruptedException;
    }

    /** A fault that is over as soon as it was made, and needs no mending. */
    static Fault of(String name, String title, Where where, Set<Store> stores, Step begin) {
        return new Fault(name, title, stores, where, Needs.NOTHING, false, Unreachable.NOBODY, NOTHING, begin, NOTHING);
    }

    /** It goes on past the lease. */
    Fault lasting() {
        return new Fault(name, title, stores, where, needs, true, unreachable, prepare, begin, end);
    }

    Fault needing(Needs something) {
        return new Fault(name, title, stores, where, something, lasts, unreachable, prepare, begin, end);
    }

    Fault cuttingOff(Unreachable who) {
        return new Fault(name, title, stores, where, needs, lasts, who, prepare, begin, end);
    }

    Fault preparedBy(Step step) {
        return new Fault(name, title, stores, where, needs, lasts, unreachable, step, begin, end);
    }

    Fault mendedBy(Step step) {
        return new Fault(name, title, stores, where, needs, lasts, unreachable, prepare, begin, step);
    }

    /** Whether something goes wrong already before the holder takes the lock. */
    public boolean isPrepared() {
        return prepare != NOTHING;
    }

    public boolean isFor(Store store) {
        return stores.contains(store);
    }
}
