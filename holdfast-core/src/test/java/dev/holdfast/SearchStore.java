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
 * A store with one key whose network belongs to the search: each request is carried out when the search says so, its
 * answer arrives when the search says so, in any order or never, and so do pushed grants and hints.
 *
 * <p>Correct by itself: whatever goes wrong in front of it is the engine's doing.
 */
final class SearchStore implements LockBackend {
    /** As many slots as a semaphore has here. */
    static final int SLOTS = 2;

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
        /** Whose it is; a renewal may be of several. */
        final List<Owner> owners;

        final LongFunction<T> operation;
        final CompletableFuture<T> future = new CompletableFuture<>();
        private final long sentNanos;
        private @Nullable T answer;
        /** Failed for the client, and still on its way until then. */
        long ghostUntilNanos;

        Request(String kind, List<Owner> owners, long sentNanos, LongFunction<T> operation) {
            this.kind = kind;
            this.owners = owners;
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
            return kind + " of " + owners.get(0).toString().substring(0, 4);
        }
    }

    /** @param owner whose grant it is; null for a hint */
    record Push(@Nullable Owner owner, @Nullable Grant grant) {
        @Override
        public String toString() {
            return owner == null ? "hint" : "grant to " + owner.toString().substring(0, 4);
        }
    }

    private static final class Held {
        final Claim claim;
        final int slot;
        final long lastToken;
        long expiresNanos;

        Held(Claim claim, int slot, long lastToken, long expiresNanos) {
            this.claim = claim;
            this.slot = slot;
            this.lastToken = lastToken;
            this.expiresNanos = expiresNanos;
        }
    }

    final String key;
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
    private final List<Held> holders = new ArrayList<>();
    private long counter;

    /** @param whileCalling runs inside every call, where another thread could come in between */
    SearchStore(LockKind kind, Waking waking, SearchClock clock, Runnable whileCalling) {
        this.key = new LockKey(kind, "n").encoded();
        this.waking = waking;
        this.clock = clock;
        this.whileCalling = whileCalling;
    }

    // ---- what the search looks at

    boolean isHeldBy(Owner owner) {
        return heldBy(owner) != null;
    }

    private @Nullable Held heldBy(Owner owner) {
        for (Held held : holders) {
            if (held.claim.owner().equals(owner) && !hasExpired(held)) {
                return held;
            }
        }
        return null;
    }

    private boolean hasExpired(Held held) {
        return clock.nanoTime() - held.expiresNanos >= 0;
    }

    /** Nobody holds it and nobody stands in line. */
    boolean isForgotten() {
        dropExpired();
        return holders.stream().allMatch(this::hasExpired) && queue.isEmpty();
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
            events.maybeFree(key);
        } else {
            events.granted(key, push.owner(), push.grant());
        }
    }

    Events events() {
        if (events == null) {
            throw new IllegalStateException("open() comes first");
        }
        return events;
    }

    /** Another process: takes the lock, or stands in line. Every second one reads, where that is possible. */
    void rivalComes(Owner rival) {
        Claim claim = Claim.of(key, rival, Duration.ofSeconds(30), 1, SearchWorld.HOLDER);
        if (claim.kind() == LockKind.SEMAPHORE) {
            claim = claim.forAnyOf(SLOTS);
        } else if (claim.kind() == LockKind.READ_WRITE_LOCK && rival.low() % 2 == 0) {
            claim = claim.forReading();
        }
        acquire(queues() ? claim.queuedSince(1) : claim, clock.nanoTime());
    }

    void rivalGoes(Owner rival) {
        takeBack(rival);
    }

    /** An operator breaks the lock, or the store forgets it. The holder is told later, or by its next renewal. */
    void takeAway() {
        if (!holders.isEmpty()) {
            taken.add(holders.remove(0).claim.owner());
            serve(true);
        }
    }

    // ---- the store

    private Answer acquire(Claim claim, long sentNanos) {
        long now = clock.nanoTime();
        serve(false);
        Held held = heldBy(claim.owner());
        if (held == null && freeSlot(claim) >= 0 && (claim.kind() != LockKind.READ_WRITE_LOCK || queue.isEmpty())) {
            leaveQueue(claim.owner());
            held = grantTo(claim);
        }
        if (held != null) {
            held.expiresNanos = Math.max(held.expiresNanos, now + claim.lease().toNanos());
            return new Answer.Granted(
                    Grant.full(held.lastToken, claim.tokens(), Validity.until(sentNanos, claim.lease()))
                            .ofSlot(held.slot));
        }
        boolean queued = claim.queue() && queues();
        if (queued) {
            queue.put(claim, now + claim.lease().toNanos());
        }
        long first = holders.stream()
                .mapToLong(each -> each.expiresNanos - now)
                .min()
                .orElse(POLL.toNanos());
        Holder heldBy = holders.isEmpty() ? null : holders.get(0).claim.holder();
        return new Answer.Busy(waking == Waking.POLL ? POLL : Duration.ofNanos(first), queued, heldBy);
    }

    private boolean queues() {
        return waking == Waking.QUEUE || waking == Waking.PROVISIONAL_QUEUE;
    }

    private Held grantTo(Claim claim) {
        counter += claim.tokens();
        Held held = new Held(
                claim,
                freeSlot(claim),
                counter,
                clock.nanoTime() + claim.lease().toNanos());
        holders.add(held);
        return held;
    }

    private int freeSlot(Claim claim) {
        if (claim.shared()) {
            return holders.stream().allMatch(held -> held.claim.shared()) ? 0 : -1;
        }
        if (claim.kind() != LockKind.SEMAPHORE) {
            return holders.isEmpty() ? 0 : -1;
        }
        for (int slot = 0; slot < claim.slots(); slot++) {
            int wanted = slot;
            if (holders.stream().noneMatch(held -> held.slot == wanted)) {
                return slot;
            }
        }
        return -1;
    }

    /** @param freed whether something has just become free, beside what has expired */
    private void serve(boolean freed) {
        dropExpired();
        boolean changed = holders.removeIf(this::hasExpired) || freed;
        for (Claim next : List.copyOf(queue.keySet())) {
            if (freeSlot(next) >= 0) {
                queue.remove(next);
                push(grantTo(next));
            } else if (next.kind() == LockKind.READ_WRITE_LOCK) {
                break;
            }
        }
        if (changed && waking == Waking.HINT) {
            pushes.add(new Push(null, null));
        }
    }

    private void push(Held held) {
        Claim claim = held.claim;
        boolean provisional = waking == Waking.PROVISIONAL_QUEUE;
        if (provisional) {
            held.expiresNanos =
                    clock.nanoTime() + Math.min(WINDOW_NANOS, claim.lease().toNanos());
        }
        long until = Validity.until(clock.nanoTime(), Duration.ofNanos(held.expiresNanos - clock.nanoTime()));
        Grant grant = new Grant(held.lastToken, claim.tokens(), until, provisional).ofSlot(held.slot);
        pushes.add(new Push(claim.owner(), grant));
    }

    private void leaveQueue(Owner owner) {
        queue.keySet().removeIf(claim -> claim.owner().equals(owner));
    }

    private void dropExpired() {
        queue.values().removeIf(until -> clock.nanoTime() - until >= 0);
    }

    private boolean takeBack(Owner owner) {
        leaveQueue(owner);
        Held held = heldBy(owner);
        if (held != null) {
            holders.remove(held);
        }
        serve(held != null);
        return held != null;
    }

    private Renewal renew(Holding holding, long sentNanos) {
        Held held = heldBy(holding.owner());
        if (held == null || held.lastToken != holding.lastToken() || held.slot != holding.slot()) {
            return new Renewal.Gone();
        }
        held.expiresNanos =
                Math.max(held.expiresNanos, clock.nanoTime() + holding.lease().toNanos());
        return new Renewal.Renewed(Validity.until(sentNanos, holding.lease()));
    }

    // ---- the seam

    private <T> CompletableFuture<T> send(String kind, Owner owner, LongFunction<T> operation) {
        return send(kind, List.of(owner), operation);
    }

    private <T> CompletableFuture<T> send(String kind, List<Owner> owners, LongFunction<T> operation) {
        Request<T> request = new Request<>(kind, owners, clock.nanoTime(), operation);
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
                holdings.stream().map(Holding::owner).toList(),
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
        return send(
                "look",
                new Owner(0, 0),
                sent -> holders.stream()
                        .filter(held -> !hasExpired(held))
                        .map(held -> LockState.builder(key, held.claim.owner())
                                .holder(held.claim.holder())
                                .tokens(held.lastToken, held.claim.tokens())
                                .slot(held.slot)
                                .shared(held.claim.shared())
                                .since(Instant.EPOCH)
                                .remaining(Duration.ofNanos(held.expiresNanos - clock.nanoTime()))
                                .build())
                        .toList());
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
