package dev.holdfast.cli.run;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockKey;
import dev.holdfast.cli.connect.ReleaseAnswer;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.RefusedException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Gives the lock back, and finds out whether it was ours until then. */
final class LockRelease {
    /** How long a finished command waits for the store to confirm that the lock is free. */
    private static final Duration CONFIRMATION = Duration.ofSeconds(5);

    private LockRelease() {}

    /**
     * Takes no longer than the lock could stay taken without us.
     *
     * @param keep how long the store is to keep the lock from now on; zero or less: not at all
     * @return null, or why the lock was not ours any more
     */
    static @Nullable String of(
            LockKey key, Lease held, Duration lease, Duration keep, ReleaseAnswer answer, Console console)
            throws InterruptedException {
        // Before the release: afterwards the lease no longer knows why it was lost.
        String lost = loss(held);
        boolean isKept = keep.compareTo(Duration.ZERO) > 0;
        Duration left = held.remaining();
        Duration patience = left.compareTo(CONFIRMATION) < 0 ? left : CONFIRMATION;
        try {
            (isKept ? held.releaseAsync(keep) : held.releaseAsync()).get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            RefusedException refusal = refusal(e);
            if (lost == null && refusal != null) {
                return "The release of " + key + " was refused: " + Failures.describe(refusal);
            }
            if (left.compareTo(patience) > 0) {
                String free = "after " + Durations.text(lease) + " at the latest";
                console.note("The store has not confirmed the release of " + key + ". It will be free "
                        + (isKept ? free + ", or after --min-hold if the release has reached the store." : free + "."));
            }
        }
        if (lost == null && answer.saidNotOurs()) {
            return Wanted.capitalized(key)
                    + " was not ours any more when it was given back: somebody broke it, or the store lost it";
        }
        // Again: it may have ended between the first look and the release.
        return lost == null ? loss(held) : lost;
    }

    private static @Nullable String loss(Lease held) {
        try {
            held.ensureValid(Duration.ZERO);
            return null;
        } catch (LeaseLostException e) {
            return e.loss().toString();
        } catch (IllegalStateException releasedInTime) {
            return null;
        }
    }

    /**
     * The file was replaced, or our rights were taken away: whoever granted the lock does not know it any more, or not us.
     * Nobody can say that the lock was kept until now.
     */
    private static @Nullable RefusedException refusal(Throwable failure) {
        int depth = 0;
        for (Throwable each = failure; each != null && depth < 20; each = each.getCause(), depth++) {
            if (each instanceof RefusedException refused) {
                return refused;
            }
        }
        return null;
    }
}
