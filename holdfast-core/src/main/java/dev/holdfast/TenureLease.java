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

    /** @param callbacks those that are called after all if the step finds that the lease was over when it was closed */
    private record Released(
            CompletableFuture<Void> done, @Nullable Callbacks callbacks) implements Ending {}

    final Tenure tenure;
    /** Replaced by whoever closes the lease with another time to keep the lock, before its step; heldAtMost stays the same in it. */
    private Terms terms;

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
        return LockKey.nameIn(tenure.key);
    }

    LockKey key() {
        return LockKey.decode(tenure.key);
    }

    @Override
    public int slot() {
        return tenure.slot();
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

    /** When heldAtLeast lets the lock go. Asked only where there is one. */
    long minimumNanos() {
        return sinceNanos + Objects.requireNonNull(terms.heldAtLeast()).toNanos();
    }

    boolean isBeforeMinimum(long nowNanos) {
        return terms.heldAtLeast() != null && nowNanos - minimumNanos() < 0;
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
            throw new IllegalStateException("Lease of " + key() + " (token " + tokenValue
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
                tell(callback, lost.loss());
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
    public CompletableFuture<Void> releaseAsync(Duration keep) {
        Durations.requireNotNegative(keep, "keep");
        requireCanKeep(keep);
        return tenure.engine.forUser(release(keep));
    }

    void requireCanKeep(Duration keep) {
        if (terms.shared()) {
            throw new UnsupportedOperationException("The " + key() + " cannot be kept for " + Texts.of(keep)
                    + " by a reader: readers share what their process holds, and it ends with the last of them.");
        }
        if (!tenure.engine.backend.guarantees().heldAtLeast()) {
            throw new UnsupportedOperationException("The " + key() + " cannot be kept for " + Texts.of(keep)
                    + ": this backend cannot keep a lock that was closed. Hold the lease open for as long as is needed, or"
                    + " use a backend whose guarantees include heldAtLeast.");
        }
    }

    @Override
    public void close() {
        CompletableFuture<Void> done = Blocking.lendThread(tenure.engine.backend, this::release);
        if (!done.isDone()) {
            long limit = tenure.engine.settings.unavailableAfter().toNanos();
            long left = tenure.validUntilNanos - tenure.engine.environment.nanoTime();
            tenure.engine.awaitQuietly(done, Math.min(limit, left));
        }
    }

    /** For a lease that nobody got: nobody waits for the answer, and nothing was done that would need a minimum. */
    void giveBack() {
        var unused = release(null);
    }

    CompletableFuture<Void> release() {
        return release(Duration.ZERO);
    }

    /** @param keep how long the store is to keep the lock from now on; null: not even for heldAtLeast */
    CompletableFuture<Void> release(@Nullable Duration keep) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        while (true) {
            Ending now = ending;
            if (now instanceof Released released) {
                return released.done();
            }
            Callbacks callbacks = now instanceof Callbacks registered ? registered : null;
            if (ENDING.compareAndSet(this, now, new Released(done, callbacks))) {
                keepFor(keep);
                tenure.engine.release(this, done);
                return done;
            }
        }
    }

    private void keepFor(@Nullable Duration keep) {
        if (keep == null) {
            terms = terms.heldAtLeast() == null ? terms : terms.heldAtLeast(null);
            return;
        }
        if (keep.isZero()) {
            return;
        }
        Duration minimum = Duration.ofNanos(tenure.engine.environment.nanoTime() - sinceNanos)
                .plus(keep);
        Duration agreed = terms.heldAtLeast();
        if (agreed == null || minimum.compareTo(agreed) > 0) {
            terms = terms.heldAtLeast(minimum);
        }
    }

    Holder holder() {
        return terms.holder();
    }

    /**
     * Called once, after the step that decided that it was lost; a release that came first is decided as a release, and this
     * is not called. So a holder is told that closes a lease which had ended before, whether the timer has run or not.
     */
    void tellLost(Loss loss) {
        Ending before = ENDING.getAndUpdate(this, now -> lostAfter(now, loss));
        Ending first = before instanceof Released released ? released.callbacks() : before;
        for (Ending each = first; each instanceof Callbacks callbacks; each = callbacks.next()) {
            tell(callbacks.callback(), loss);
        }
    }

    private void tell(Consumer<Loss> callback, Loss loss) {
        if (callback instanceof OwnCallback) {
            callback.accept(loss);
        } else {
            tenure.engine.runUserCode(() -> callback.accept(loss));
        }
    }

    private static Ending lostAfter(@Nullable Ending now, Loss loss) {
        return now instanceof Released released ? new Released(released.done(), null) : new Lost(loss);
    }

    Loss loss(Loss.Kind kind, String why, long nowNanos) {
        return new Loss(key(), token(), kind, Duration.ofNanos(nowNanos - sinceNanos), why);
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
        return "Lease of " + key() + (key().kind() == LockKind.SEMAPHORE ? ", slot " + slot() : "") + ", token "
                + tokenValue + ", " + state;
    }
}
