package dev.holdfast;

import dev.holdfast.spi.Owner;
import java.time.Duration;

/**
 * Takes back whatever the backend may have granted to an owner that nobody here uses any more, so that nothing is held
 * that nobody knows of. Withdraws at once; where the outcome of a request was unknown, again once that request can no
 * longer arrive; and goes on until the backend has confirmed, or the lease has run out by itself.
 *
 * <p>Touched by one thread at a time: each step is started by the answer to the one before, or by the alarm it set.
 */
final class Retreat extends Alarm {
    private static final long FIRST_BACKOFF_NANOS = 100_000_000;
    private static final long LONGEST_BACKOFF_NANOS = 5_000_000_000L;

    private final Engine engine;
    private final String name;
    private final Owner owner;
    private final long settledAtNanos;
    private final long endsNanos;
    private long backoffNanos = FIRST_BACKOFF_NANOS;

    Retreat(Engine engine, String name, Owner owner, Duration lease, boolean outcomeUnknown) {
        this.engine = engine;
        this.name = name;
        this.owner = owner;
        long now = engine.environment.nanoTime();
        Duration settling = outcomeUnknown ? engine.backend.guarantees().settling() : Duration.ZERO;
        this.settledAtNanos = now + settling.toNanos();
        this.endsNanos = settledAtNanos + lease.toNanos();
    }

    void start() {
        long sent = engine.environment.nanoTime();
        engine.whenDone(engine.call(() -> engine.backend.withdraw(name, owner)), (nothing, failure) -> {
            long now = engine.environment.nanoTime();
            if ((failure == null && sent - settledAtNanos >= 0) || now - endsNanos >= 0) {
                engine.noLongerUnderway();
            } else if (failure == null) {
                again(now - settledAtNanos >= 0 ? now : settledAtNanos);
            } else {
                again(now + engine.spread(backoffNanos));
                backoffNanos = Math.min(2 * backoffNanos, LONGEST_BACKOFF_NANOS);
            }
        });
    }

    private void again(long atNanos) {
        wantedNanos = atNanos;
        engine.timers.refresh(this);
    }

    @Override
    void ring(Renewals.Batch batch) {
        start();
    }
}
