package dev.holdfast;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** As small as a store and an environment can be, so that Lincheck's interleavings are spent on the engine: one name, no time. */
final class LincheckStore implements LockBackend, Environment {
    private final ArrayDeque<Claim> queue = new ArrayDeque<>();
    private @Nullable Owner holder;
    private long counter;
    private long randoms;
    private boolean closed;
    private @Nullable Events events;

    synchronized boolean isForgotten() {
        return holder == null && queue.isEmpty();
    }

    synchronized boolean isHeldBy(Owner owner) {
        return owner.equals(holder);
    }

    @Override
    public void open(Environment environment, Events to) {
        events = to;
    }

    @Override
    public Duration settling() {
        return Duration.ZERO;
    }

    @Override
    public Guarantees guarantees() {
        return Guarantees.builder()
                .exclusion("")
                .tokenSource("")
                .waking(Guarantees.Waking.HAND_OVER)
                .fair(true)
                .build();
    }

    @Override
    public synchronized CompletableFuture<Answer> tryAcquire(Claim claim) {
        if (holder == null) {
            holder = claim.owner();
        }
        if (claim.owner().equals(holder)) {
            return CompletableFuture.completedFuture(new Answer.Granted(grant(claim)));
        }
        if (claim.queue()) {
            queue.add(claim);
        }
        return CompletableFuture.completedFuture(new Answer.Busy(Duration.ofSeconds(30), claim.queue(), null));
    }

    private Grant grant(Claim claim) {
        counter += claim.tokens();
        return Grant.full(counter, claim.tokens(), Duration.ofSeconds(30).toNanos());
    }

    /** Another process takes the lock. */
    synchronized Owner rivalTakes() {
        holder = new Owner(9, 9);
        return holder;
    }

    boolean takeBack(Owner owner) {
        Claim next;
        Grant grant;
        synchronized (this) {
            if (closed) {
                return false;
            }
            queue.removeIf(claim -> claim.owner().equals(owner));
            if (!owner.equals(holder)) {
                return false;
            }
            next = queue.poll();
            holder = next == null ? null : next.owner();
            grant = next == null ? null : grant(next);
        }
        if (next != null && events != null) {
            events.granted(next.key(), next.owner(), grant);
        }
        return true;
    }

    @Override
    public CompletableFuture<List<Renewal>> renew(List<Holding> holdings) {
        return new CompletableFuture<>();
    }

    @Override
    public CompletableFuture<Boolean> release(Holding holding) {
        return CompletableFuture.completedFuture(takeBack(holding.owner()));
    }

    @Override
    public CompletableFuture<Void> withdraw(String key, Owner owner, int slots) {
        takeBack(owner);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<List<LockState>> describe(String key) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<List<LockState>> list(String prefix, int limit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<List<Finding>> diagnose() {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public long wallMicros() {
        return 0;
    }

    @Override
    public Scheduled schedule(long delayNanos, Runnable task) {
        return () -> {};
    }

    @Override
    public Executor blocking() {
        return Runnable::run;
    }

    @Override
    public RandomGenerator random() {
        return this::nextLong;
    }

    private synchronized long nextLong() {
        return ++randoms;
    }
}
