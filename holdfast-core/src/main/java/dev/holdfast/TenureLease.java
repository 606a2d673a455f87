package dev.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A slice of a {@link Tenure}. */
final class TenureLease implements Lease {
    static final byte OPEN = 0;
    static final byte RELEASED = 1;
    static final byte LOST = 2;

    private static final AtomicReferenceFieldUpdater<TenureLease, Ending> ENDING =
            AtomicReferenceFieldUpdater.newUpdater(TenureLease.class, Ending.class, "ending");

    /**
     * What comes after the lease: a chain of callbacks while it is open, then either how it was lost or the future of its
     * release. One field, because most leases never need any of it.
     */
    private sealed interface Ending {}

    private record Callbacks(
            Consumer<Loss> callback, @Nullable Callbacks next) implements Ending {}

    private record Lost(Loss loss) implements Ending {}

    private record Released(CompletableFuture<Void> done) implements Ending {}

    final Tenure tenure;
    final Terms terms;
    final long tokenValue;
    final long sinceNanos;
    // The numbers only, and up to 255: they fit where the object has room to spare.
    private final byte votesGranted;
    private final byte votesNodes;
    private final @Nullable String threadName;
    /** Written inside a step of the NameQueue. Volatile: read by whoever has the lease. */
    volatile byte ended;

    private volatile @Nullable Ending ending;

    TenureLease(Tenure tenure, long tokenValue, Terms terms, Votes votes, long nowNanos, @Nullable String threadName) {
        this.tenure = tenure;
        this.tokenValue = tokenValue;
        this.terms = terms;
        this.votesGranted = (byte) votes.granted();
        this.votesNodes = (byte) votes.nodes();
        this.sinceNanos = nowNanos;
        this.threadName = threadName;
    }

    @Override
    public String name() {
        return tenure.name;
    }

    @Override
    public FencingToken token() {
        return new FencingToken(tokenValue);
    }

    @Override
    public Votes votes() {
        return votesNodes == 1
                ? Votes.ONE_OF_ONE
                : new Votes(Byte.toUnsignedInt(votesGranted), Byte.toUnsignedInt(votesNodes));
    }

    @Override
    public Duration remaining() {
        return Duration.ofNanos(remainingNanos());
    }

    long remainingNanos() {
        if (ended != OPEN) {
            return 0;
        }
        long now = tenure.engine.environment.nanoTime();
        long left = tenure.validUntilNanos - now;
        if (boundNanos() != Alarm.NEVER) {
            left = Math.min(left, boundNanos() - now);
        }
        // Read again: a validity read after the lease had ended may belong to a later lease of the same tenure.
        return ended == OPEN ? Math.max(0, left) : 0;
    }

    /** When heldAtMost ends it, or NEVER. Not a field: few leases have one, and many may be held. */
    long boundNanos() {
        Duration bound = terms.heldAtMost();
        return bound == null ? Alarm.NEVER : sinceNanos + bound.toNanos();
    }

    boolean isAtBound(long nowNanos) {
        return terms.heldAtMost() != null && nowNanos - boundNanos() >= 0;
    }

    @Override
    public boolean isValid() {
        return remainingNanos() > 0;
    }

    @Override
    public void ensureValid(Duration minimum) {
        Durations.requireNotNegative(minimum, "minimum");
        long left = remainingNanos();
        if (left > 0 && left >= minimum.toNanos()) {
            return;
        }
        if (ended == RELEASED) {
            throw new IllegalStateException("Lease of '" + name() + "' (token " + tokenValue
                    + ") was closed: what it protected may no longer be touched. Acquire the lock again.");
        }
        Ending how = ending;
        if (how instanceof Lost lost) {
            throw new LeaseLostException(lost.loss(), "Stop what it protects; the lock may be somebody else's.");
        }
        String why = left > 0
                ? "only " + Texts.ofNanos(left) + " are left of it, and " + Texts.of(minimum) + " are needed"
                : "its validity has ended";
        throw new LeaseLostException(
                loss(Loss.Kind.LOST, why, tenure.engine.environment.nanoTime()),
                "Do not begin what cannot be finished in time.");
    }

    /** For the end of a critical section, which may have closed its lease itself. */
    void ensureNotLost() {
        if (ended != RELEASED) {
            ensureValid(Duration.ZERO);
        }
    }

    @Override
    public void onLost(Consumer<Loss> callback) {
        Objects.requireNonNull(callback, "callback");
        while (true) {
            Ending now = ending;
            if (now instanceof Lost lost) {
                tenure.engine.runUserCode(() -> callback.accept(lost.loss()));
                return;
            }
            if (now instanceof Released) {
                return;
            }
            if (ENDING.compareAndSet(this, now, new Callbacks(callback, (Callbacks) now))) {
                return;
            }
        }
    }

    @Override
    public CompletableFuture<Void> releaseAsync() {
        return tenure.engine.forUser(release());
    }

    @Override
    public void close() {
        CompletableFuture<Void> done = Blocking.lendThread(tenure.engine.backend, this::release);
        if (!done.isDone()) {
            long limit = tenure.engine.settings.unavailableAfter().toNanos();
            long left = tenure.validUntilNanos - tenure.engine.environment.nanoTime();
            Blocking.awaitQuietly(done, Math.min(limit, left));
        }
    }

    private CompletableFuture<Void> release() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        while (true) {
            Ending now = ending;
            if (now instanceof Released released) {
                return released.done();
            }
            if (ENDING.compareAndSet(this, now, new Released(done))) {
                tenure.engine.release(this, done);
                return done;
            }
        }
    }

    /** Called once, after the step that ended it. A holder that closes at the same moment is not called back: it is done. */
    void tellLost(Loss loss) {
        Ending before = ENDING.getAndUpdate(this, now -> now instanceof Released ? now : new Lost(loss));
        for (Ending each = before; each instanceof Callbacks callbacks; each = callbacks.next()) {
            tenure.engine.runUserCode(() -> callbacks.callback().accept(loss));
        }
    }

    Loss loss(Loss.Kind kind, String why, long nowNanos) {
        return new Loss(name(), token(), kind, Duration.ofNanos(nowNanos - sinceNanos), why);
    }

    String threadText() {
        return threadName == null ? "-" : "'" + threadName + "'";
    }

    /** Threads are told apart by name, and nameless virtual threads not at all: this only serves a warning. */
    boolean wasAcquiredBy(@Nullable String thread) {
        return thread != null && !thread.isEmpty() && thread.equals(threadName);
    }

    @Override
    public String toString() {
        String state = ended == RELEASED ? "released" : isValid() ? Texts.of(remaining()) + " left" : "over";
        return "Lease of '" + name() + "', token " + tokenValue + ", " + state;
    }
}
