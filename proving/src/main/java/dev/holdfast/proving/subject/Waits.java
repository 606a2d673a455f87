package dev.holdfast.proving.subject;

import java.time.Duration;
import java.util.Optional;

/** Asks again and again for those who cannot wait. */
final class Waits {
    private static final long PAUSE_MILLIS = 50;

    private Waits() {}

    /** Asks once for the lock. */
    interface Asking {
        Optional<HeldLock> ask() throws Exception;
    }

    static Optional<HeldLock> polling(Duration maxWait, Asking asking) throws Exception {
        long deadline = System.nanoTime() + maxWait.toNanos();
        while (true) {
            Optional<HeldLock> held = asking.ask();
            if (held.isPresent() || System.nanoTime() - deadline >= 0) {
                return held;
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }
}
