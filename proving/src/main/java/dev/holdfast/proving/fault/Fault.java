package dev.holdfast.proving.fault;

import dev.holdfast.proving.subject.Store;
import java.io.IOException;
import java.util.Set;

/**
 * Something that goes wrong, and is mended again. Both happen while the holder of each subject has the lock in its hands.
 *
 * @param title for people, after "while somebody holds the lock:"
 * @param stores where it can happen
 * @param needsShim whether a small library of ours must stand between a process and its clock or its disk
 * @param lasts whether it goes on past the lease before it is mended; otherwise it is over at once
 * @param unreachable who cannot reach the store meanwhile
 */
public record Fault(
        String name,
        String title,
        Set<Store> stores,
        boolean needsShim,
        boolean lasts,
        Unreachable unreachable,
        Step begin,
        Step end) {

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

    public boolean isFor(Store store) {
        return stores.contains(store);
    }
}
