package dev.holdfast.shedlock;

import dev.holdfast.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.javacrumbs.shedlock.core.ClockProvider;
import org.jspecify.annotations.Nullable;

/** The lease of one run of a job, through all its extensions. */
final class HeldJob {
    /** As long as a release that nobody waits for is repeated in the background. */
    private static final Duration CONFIRMATION = Duration.ofSeconds(10);

    private final Lease lease;
    private final boolean storeKeeps;
    // Guarded by this. Null once it has been unlocked.
    private @Nullable CompletableFuture<Void> end;
    private Instant endsAt = Instant.MAX;
    private boolean unlocked;

    HeldJob(Lease lease, boolean storeKeeps) {
        this.lease = lease;
        this.storeKeeps = storeKeeps;
    }

    /** From then on it is not this run's any more, done or not. Replaces an earlier end. */
    synchronized void endAt(Instant lockAtMostUntil) {
        if (unlocked) {
            return;
        }
        cancelEnd();
        endsAt = lockAtMostUntil;
        end = CompletableFuture.runAsync(this::endNow, after(left(lockAtMostUntil)));
    }

    /** By the clock as well: the timer may be late. */
    synchronized boolean isValid() {
        return lease.isValid() && ClockProvider.now().isBefore(endsAt);
    }

    private void endNow() {
        var unused = lease.releaseAsync();
    }

    /** The job is done; its lock stays taken until then. Returns once the store knows. */
    void unlock(Instant unlockTime) {
        synchronized (this) {
            unlocked = true;
            cancelEnd();
        }
        Duration keep = left(unlockTime);
        if (keep.isZero()) {
            lease.close();
        } else if (storeKeeps) {
            awaitQuietly(lease.releaseAsync(keep));
        } else {
            // The session of this process is what holds it: it stays open until then.
            after(keep).execute(this::endNow);
        }
    }

    private void cancelEnd() {
        if (end != null) {
            end.cancel(false);
            end = null;
        }
    }

    private static Executor after(Duration delay) {
        return CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Duration left(Instant until) {
        Duration left = Duration.between(ClockProvider.now(), until);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /** What could not be confirmed is repeated in the background, and reported by the Holdfast. */
    private static void awaitQuietly(CompletableFuture<Void> release) {
        try {
            release.get(CONFIRMATION.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // Nothing that the job could do about it.
        }
    }
}
