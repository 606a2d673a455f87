package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Takes back what may be left at single nodes: votes of rounds that failed, of tenures that ended. A vote that nobody
 * uses blocks rivals until it expires, so each is taken back at once, again once a request that was under way can no
 * longer arrive, and until the node has confirmed or the lease is over.
 */
final class Leftovers {
    private static final long FIRST_BACKOFF_NANOS = 50_000_000;
    private static final long LONGEST_BACKOFF_NANOS = 2_000_000_000;

    private final Environment environment;
    private final long settlingNanos;
    private volatile boolean closed;

    Leftovers(Environment environment, Duration timeout) {
        this.environment = environment;
        this.settlingNanos = timeout.toNanos() + Validity.driftNanos(timeout);
    }

    /**
     * Sends at once, and answers what came of that.
     *
     * @param underway whether a request that could bring the vote back may still arrive
     */
    <T> CompletionStage<T> clear(Duration lease, boolean underway, Supplier<CompletionStage<T>> undo) {
        long now = environment.nanoTime();
        long settled = underway ? now + settlingNanos : now;
        return attempt(undo, settled, settled + lease.toNanos(), FIRST_BACKOFF_NANOS);
    }

    private <T> CompletionStage<T> attempt(
            Supplier<CompletionStage<T>> undo, long settledNanos, long endsNanos, long backoffNanos) {
        long sent = environment.nanoTime();
        return undo.get().whenComplete((done, problem) -> {
            Throwable failure = problem == null ? null : Member.unwrap(problem);
            long now = environment.nanoTime();
            // A node that does not vote has no vote of ours that counts; by the time it votes again, it has none at
            // all.
            boolean confirmed = failure == null || failure instanceof Unadmitted;
            if (closed || (confirmed && sent - settledNanos >= 0) || now - endsNanos >= 0) {
                return;
            }
            long delay = confirmed
                    ? Math.max(0, settledNanos - now)
                    : backoffNanos / 2 + (long) (environment.random().nextDouble() * backoffNanos);
            long next = Math.min(2 * backoffNanos, LONGEST_BACKOFF_NANOS);
            environment.schedule(delay, () -> attempt(undo, settledNanos, endsNanos, next));
        });
    }

    void close() {
        closed = true;
    }
}
