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
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A store with one name whose network belongs to the search: each request is carried out when the search says so, its
 * answer arrives when the search says so, in any order or never, and so do pushed grants and hints.
 *
 * <p>Correct by itself: whatever goes wrong in front of it is the engine's doing.
 */
final class SearchStore implements LockBackend {
    static final String NAME = "n";
    static final Duration SETTLING = Duration.ofSeconds(2);
    private static final long WINDOW_NANOS = 2_000_000_000L;
    private static final Duration POLL = Duration.ofMillis(100);

    /** How the store wakes those who wait. */
    enum Waking {
        QUEUE,
        PROVISIONAL_QUEUE,
        HINT,
        POLL
    }

    /** A request on its way, or carried out with the answer on its way. */
    static final class Request<T> {
        final String kind;
        final Owner owner;
        final LongFunction<T> operation;
        final CompletableFuture<T> future = new CompletableFuture<>();
        private final long sentNanos;
        private @Nullable T answer;
        /** Failed for the client, and still on its way until then. */
        long ghostUntilNanos;

        Request(String kind, Owner owner, long sentNanos, LongFunction<T> operation) {
            this.kind = kind;
            this.owner = owner;
            this.sentNanos = sentNanos;
            this.operation = operation;
        }

        boolean isExecuted() {
            return answer != null;
        }

        void execute() {
            answer = operation.apply(sentNanos);
        }

        void answer() {
            future.complete(answer);
        }

        @Override
        public String toString() {
            return kind + " of " + owner.toString().substring(0, 4);
        }
    }

    /** @param owner whose grant it is; null for a hint */
    record Push(@Nullable Owner owner, @Nullable Grant grant) {
        @Override
        public String toString() {
            return owner == null ? "hint" : "grant to " + owner.toString().substring(0, 4);
        }
    }

    final List<Request<?>> requests = new ArrayList<>();
    final List<Request<?>> ghosts = new ArrayList<>();
    final List<Push> pushes = new ArrayList<>();
    final Set<Owner> taken = new HashSet<>();
    private final Waking waking;
    private final SearchClock clock;
    private final Runnable whileCalling;
    private @Nullable Events events;

    // Entries expire like locks, a lease after their claim was last asked for.
    private final Map<Claim, Long> queue = new LinkedHashMap<>();
    private @Nullable Claim holder;
    private long lastToken;
    private long expiresNanos;
    private long counter;

    /** @param whileCalling runs inside every call, where another thread could come in between */
    SearchStore(Waking waking, SearchClock clock, Runnable whileCalling) {
        this.waking = waking;
        this.clock = clock;
        this.whileCalling = whileCalling;
    }

    // ---- what the search looks at

    boolean isFree() {
        return holder == null || clock.nanoTime() - expiresNanos >= 0;
    }

    boolean isHeldBy(Owner owner) {
        return !isFree() && holder != null && holder.owner().equals(owner);
    }

    /** Nobody holds it and nobody stands in line. */
    boolean isForgotten() {
        dropExpired();
        return isFree() && queue.isEmpty();
    }

    boolean isWoken() {
        return waking != Waking.POLL;
    }

    // ---- what the search does

    void deliver(Push push) {
        if (events == null) {
            throw new IllegalStateException("open() comes first");
        }
        if (push.owner() == null || push.grant() == null) {
            events.maybeFree(NAME);
        } else {
            events.granted(NAME, push.owner(), push.grant());
        }
    }

    Events events() {
        if (events == null) {
            throw new IllegalStateException("open() comes first");
        }
        return events;
    }

    /** Another process: takes the lock, or stands in line. */
    void rivalComes(Owner rival) {
        Claim claim = Claim.of(NAME, rival, Duration.ofSeconds(30), 1, SearchWorld.HOLDER);
        acquire(queues() ? claim.queuedSince(1) : claim, clock.nanoTime());
    }

    void rivalGoes(Owner rival) {
        takeBack(rival);
    }

    /** An operator breaks the lock, or the store forgets it. The holder is told later, or by its next renewal. */
    void takeAway() {
        if (holder != null) {
            taken.add(holder.owner());
            next();
        }
    }

    // ---- the store

    private Answer acquire(Claim claim, long sentNanos) {
        long now = clock.nanoTime();
        if (holder != null && isFree()) {
            next();
        }
        if (holder == null) {
            leaveQueue(claim.owner());
            grantTo(claim);
            return new Answer.Granted(Grant.full(lastToken, claim.tokens(), Validity.until(sentNanos, claim.lease())));
        }
        if (holder.owner().equals(claim.owner())) {
            expiresNanos = Math.max(expiresNanos, now + claim.lease().toNanos());
            return new Answer.Granted(Grant.full(lastToken, claim.tokens(), Validity.until(sentNanos, claim.lease())));
        }
        boolean queued = claim.queue() && queues();
        if (queued) {
            queue.put(claim, now + claim.lease().toNanos());
        }
        Duration left = Duration.ofNanos(expiresNanos - now);
        return new Answer.Busy(waking == Waking.POLL ? POLL : left, queued, holder.holder());
    }

    private boolean queues() {
        return waking == Waking.QUEUE || waking == Waking.PROVISIONAL_QUEUE;
    }

    private void grantTo(Claim claim) {
        holder = claim;
        counter += claim.tokens();
        lastToken = counter;
        expiresNanos = clock.nanoTime() + claim.lease().toNanos();
    }

    private void next() {
        dropExpired();
        Claim next = queue.isEmpty() ? null : queue.keySet().iterator().next();
        holder = null;
        if (next != null) {
            queue.remove(next);
            grantTo(next);
            boolean provisional = waking == Waking.PROVISIONAL_QUEUE;
            if (provisional) {
                expiresNanos =
                        clock.nanoTime() + Math.min(WINDOW_NANOS, next.lease().toNanos());
            }
            long until = Validity.until(clock.nanoTime(), Duration.ofNanos(expiresNanos - clock.nanoTime()));
            pushes.add(new Push(next.owner(), new Grant(lastToken, next.tokens(), until, provisional)));
        } else if (waking == Waking.HINT) {
            pushes.add(new Push(null, null));
        }
    }

    private void leaveQueue(Owner owner) {
        queue.keySet().removeIf(claim -> claim.owner().equals(owner));
    }

    private void dropExpired() {
        queue.values().removeIf(until -> clock.nanoTime() - until >= 0);
    }

    private boolean takeBack(Owner owner) {
        leaveQueue(owner);
        if (!isHeldBy(owner)) {
            return false;
        }
        next();
        return true;
    }

    private Renewal renew(Holding holding, long sentNanos) {
        if (!isHeldBy(holding.owner()) || lastToken != holding.lastToken()) {
            return new Renewal.Gone();
        }
        expiresNanos = Math.max(expiresNanos, clock.nanoTime() + holding.lease().toNanos());
        return new Renewal.Renewed(Validity.until(sentNanos, holding.lease()));
    }

    // ---- the seam

    private <T> CompletableFuture<T> send(String kind, Owner owner, LongFunction<T> operation) {
        Request<T> request = new Request<>(kind, owner, clock.nanoTime(), operation);
        requests.add(request);
        whileCalling.run();
        return request.future;
    }

    @Override
    public void open(Environment environment, Events to) {
        events = to;
    }

    @Override
    public Duration settling() {
        return SETTLING;
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
    public CompletableFuture<Answer> tryAcquire(Claim claim) {
        return send("acquire", claim.owner(), sent -> acquire(claim, sent));
    }

    @Override
    public CompletableFuture<List<Renewal>> renew(List<Holding> holdings) {
        return send(
                "renewal",
                holdings.get(0).owner(),
                sent -> holdings.stream().map(holding -> renew(holding, sent)).toList());
    }

    @Override
    public CompletableFuture<Boolean> release(Holding holding) {
        return send("release", holding.owner(), sent -> takeBack(holding.owner()));
    }

    @Override
    public CompletableFuture<Answer> releaseAndClaim(Holding holding, Claim next) {
        return send("release-and-claim", holding.owner(), sent -> {
            takeBack(holding.owner());
            return acquire(next, sent);
        });
    }

    @Override
    public CompletableFuture<Void> withdraw(String key, Owner owner, int slots) {
        return send("withdrawal", owner, sent -> takeBack(owner)).thenApply(any -> null);
    }

    @Override
    public CompletableFuture<List<LockState>> describe(String key) {
        return send("look", new Owner(0, 0), sent -> {
            if (holder == null || isFree()) {
                return List.of();
            }
            Duration left = Duration.ofNanos(expiresNanos - clock.nanoTime());
            FencingToken token = new FencingToken(lastToken);
            return List.of(LockState.builder(NAME, holder.owner())
                    .holder(holder.holder())
                    .tokens(token.value(), holder.tokens())
                    .since(Instant.EPOCH)
                    .remaining(left)
                    .build());
        });
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
    public void close() {}
}
