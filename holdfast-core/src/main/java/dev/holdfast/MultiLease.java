package dev.holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The right to act as the only holder of several locks, for a while: one {@link Lease} for each name, held and closed together.
 * If one of them ends, all of this has ended; the other locks stay taken until this is closed, because its holder may still be
 * working. Belongs to whoever has the object, not to a thread. Safe for use by many threads.
 */
public final class MultiLease implements AutoCloseable {
    private final Engine engine;
    private final List<TenureLease> leases;

    /** @param leases in the order in which they were taken; at least one */
    MultiLease(Engine engine, List<TenureLease> leases) {
        this.engine = engine;
        this.leases = List.copyOf(leases);
    }

    /** The names, in the order in which they were taken. */
    public List<String> names() {
        return leases.stream().map(TenureLease::name).toList();
    }

    /**
     * The fencing token for this name. Never changes, and stays readable after this has ended.
     *
     * @throws IllegalArgumentException if it is not one of the names
     */
    public FencingToken token(String name) {
        return lease(name).token();
    }

    /**
     * How many nodes of the store had granted this name when it was taken; one of one where the store is one node.
     *
     * @throws IllegalArgumentException if it is not one of the names
     */
    public Votes votes(String name) {
        return lease(name).votes();
    }

    private TenureLease lease(String name) {
        Objects.requireNonNull(name, "name");
        for (TenureLease each : leases) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        throw new IllegalArgumentException("'" + name + "' is not held here; these are: " + NameSet.text(names()));
    }

    /** How long all of them may be trusted if none is renewed again: the shortest of all. Does no I/O. */
    public Duration remaining() {
        long shortest = Long.MAX_VALUE;
        for (TenureLease each : leases) {
            shortest = Math.min(shortest, each.remainingNanos());
        }
        return Duration.ofNanos(shortest);
    }

    /** Whether all of them may still be trusted, by this process's own clock. Does no I/O. */
    public boolean isValid() {
        return !remaining().isZero();
    }

    /**
     * Throws unless all of them can be trusted for at least this much longer. Does no I/O and does not renew.
     *
     * @throws LeaseLostException if one of them has ended, or will end sooner: its {@link Loss} says which
     * @throws IllegalStateException if this was closed
     */
    public void ensureValid(Duration minimum) {
        Durations.requireNotNegative(minimum, "minimum");
        TenureLease first = leases.get(0);
        for (TenureLease each : leases) {
            if (each.remainingNanos() < first.remainingNanos()) {
                first = each;
            }
        }
        first.ensureValid(minimum);
    }

    /** For the end of a critical section, which may have closed this itself. */
    void ensureNotLost() {
        leases.forEach(TenureLease::ensureNotLost);
    }

    /**
     * Calls back once if one of them ends without being closed, with the first that did: at the moment its validity ends, not
     * when somebody notices. Runs on the executor for user code; at once if one has been lost already, never if this was closed
     * in time.
     */
    public void onLost(Consumer<Loss> callback) {
        Objects.requireNonNull(callback, "callback");
        AtomicBoolean told = new AtomicBoolean();
        for (TenureLease each : leases) {
            each.onLost(loss -> {
                if (told.compareAndSet(false, true)) {
                    callback.accept(loss);
                }
            });
        }
    }

    /**
     * Releases all of them without waiting for the backend. The future completes once the backend has confirmed every one; if
     * one could not be confirmed, exceptionally with {@link LockUnavailableException}: then that release is repeated in the
     * background, and the lock expires by itself at the latest after one lease. May be called from any thread, any number of
     * times.
     */
    public CompletableFuture<Void> releaseAsync() {
        return engine.forUser(releaseAll(TenureLease::release));
    }

    /**
     * Ends all of them now, and lets the store keep the locks for that long from now, as {@link Lease#releaseAsync(Duration)}.
     *
     * @throws UnsupportedOperationException if the backend cannot do this: see {@link Guarantees#heldAtLeast}
     */
    public CompletableFuture<Void> releaseAsync(Duration keep) {
        Durations.requireNotNegative(keep, "keep");
        leases.get(0).requireCanKeep(keep);
        return engine.forUser(releaseAll(each -> each.release(keep)));
    }

    /**
     * Releases all of them and waits for the backend to confirm, at most until they would have ended by themselves. Does not
     * throw, as {@link Lease#close}. May be called from any thread, any number of times.
     */
    @Override
    public void close() {
        long left = 0;
        for (TenureLease each : leases) {
            left = Math.max(left, each.tenure.validUntilNanos - engine.now());
        }
        CompletableFuture<Void> done = releaseAll(TenureLease::release);
        if (!done.isDone()) {
            engine.awaitQuietly(
                    done, Math.min(left, engine.settings.unavailableAfter().toNanos()));
        }
    }

    /** For locks that nobody got: nobody waits for the answer. */
    static void giveBack(List<TenureLease> leases) {
        for (int i = leases.size() - 1; i >= 0; i--) {
            leases.get(i).giveBack();
        }
    }

    void giveBack() {
        giveBack(leases);
    }

    /** The last one first: whoever waits for the same names waits for the first of them, and then finds the others free. */
    private CompletableFuture<Void> releaseAll(Function<TenureLease, CompletableFuture<Void>> release) {
        List<CompletableFuture<Void>> releases = new ArrayList<>();
        for (int i = leases.size() - 1; i >= 0; i--) {
            releases.add(release.apply(leases.get(i)));
        }
        CompletableFuture<Void> all = new CompletableFuture<>();
        var unused = CompletableFuture.allOf(releases.toArray(CompletableFuture[]::new))
                .whenComplete((nothing, failure) -> {
                    if (failure == null) {
                        all.complete(null);
                    } else {
                        all.completeExceptionally(failure.getCause() == null ? failure : failure.getCause());
                    }
                });
        return all;
    }

    @Override
    public String toString() {
        return "MultiLease of " + NameSet.text(names()) + ", " + Texts.of(remaining()) + " left";
    }
}
