package dev.holdfast.tck;

import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
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
import java.lang.reflect.Proxy;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Backends whose semaphores or read-write locks are wrong in one way each. */
final class SharingFaults {
    private SharingFaults() {}

    /** The grants that are pushed, after a change; null loses them. */
    private static Events pushing(Events events, BiFunction<Owner, Grant, @Nullable Grant> change) {
        return (Events) Proxy.newProxyInstance(
                Events.class.getClassLoader(), new Class<?>[] {Events.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("granted")) {
                        arguments[2] = change.apply((Owner) arguments[1], (Grant) arguments[2]);
                        if (arguments[2] == null) {
                            return null;
                        }
                    }
                    return method.invoke(events, arguments);
                });
    }

    /** Knows how many permits are out, and not which. */
    static final class CountsPermits extends PassingOn {
        CountsPermits(LockBackend right) {
            super(right);
        }

        @Override
        public void open(Environment environment, Events events) {
            right.open(environment, pushing(events, (owner, grant) -> grant.ofSlot(0)));
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return super.tryAcquire(claim).thenApply(answer -> changed(answer, grant -> grant.ofSlot(0)));
        }
    }

    /** The largest slot is the number of slots. */
    static final class TakesOneSlotTooMany extends PassingOn {
        TakesOneSlotTooMany(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            boolean semaphore = claim.kind() == LockKind.SEMAPHORE;
            return super.tryAcquire(semaphore ? claim.forAnyOf(claim.slots() + 1) : claim);
        }
    }

    /** Whoever waits for a slot that is taken keeps everybody from those that are free. */
    static final class LetsNobodyPassTheHead extends PassingOn {
        LetsNobodyPassTheHead(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            boolean behind = seen(claim.key())
                    .filter(state -> !state.waiters().isEmpty())
                    .isPresent();
            return behind && claim.kind() == LockKind.SEMAPHORE && !isHolder(claim.key(), claim.owner())
                    ? CompletableFuture.completedFuture(new Answer.Busy(Duration.ofMillis(10), claim.queue(), null))
                    : super.tryAcquire(claim);
        }
    }

    /** Looks for something free before it looks for the claim's own owner. */
    static final class GrantsASecondOneToAResentClaim extends PassingOn {
        private static final SecureRandom RANDOM = new SecureRandom();

        GrantsASecondOneToAResentClaim(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            if (isHolder(claim.key(), claim.owner())) {
                Claim copy = Claim.of(claim.key(), Owner.random(RANDOM), claim.lease(), claim.tokens(), claim.holder())
                        .forAnyOf(claim.slots());
                Answer second = super.tryAcquire(claim.shared() ? copy.forReading() : copy)
                        .toCompletableFuture()
                        .join();
                if (second instanceof Answer.Granted) {
                    return CompletableFuture.completedFuture(second);
                }
            }
            return super.tryAcquire(claim);
        }
    }

    /** One row for each key. */
    static final class ShowsOneHolderOnly extends PassingOn {
        ShowsOneHolderOnly(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<List<LockState>> describe(String key) {
            return right.describe(key).thenApply(states -> states.subList(0, Math.min(1, states.size())));
        }
    }

    /** The order of a stack. */
    static final class ShowsTheLastFirst extends PassingOn {
        ShowsTheLastFirst(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<List<LockState>> describe(String key) {
            return right.describe(key).thenApply(states -> {
                List<LockState> reversed = new ArrayList<>(states);
                Collections.reverse(reversed);
                return reversed;
            });
        }
    }

    /** The new one first, so that nobody else comes in between. */
    static final class ClaimsBeforeItReleases extends PassingOn {
        ClaimsBeforeItReleases(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> releaseAndClaim(Holding holding, Claim next) {
            return tryAcquire(next).thenCompose(answer -> release(holding).thenApply(released -> answer));
        }
    }

    /** Hands over for as long as it takes, whether anybody is there or not. */
    static final class WaitsForTheDead extends PassingOn {
        WaitsForTheDead(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return super.tryAcquire(
                    claim.queue() ? Wire.like(claim, claim.key(), claim.lease().multipliedBy(1000)) : claim);
        }

        @Override
        public void close() {}
    }

    /** Sends waiters away until the last of the leases ends. */
    static final class LooksAtTheLastEnd extends PassingOn {
        LooksAtTheLastEnd(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return super.tryAcquire(claim).thenApply(answer -> {
                if (!(answer instanceof Answer.Busy busy)) {
                    return answer;
                }
                Duration last = holders(claim.key()).stream()
                        .map(LockState::remaining)
                        .max(Duration::compareTo)
                        .orElse(busy.retryAfter());
                return new Answer.Busy(last, busy.queued(), busy.heldBy());
            });
        }
    }

    /** Whoever reads is alone. */
    static final class TakesReadersForWriters extends PassingOn {
        TakesReadersForWriters(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            if (!claim.shared()) {
                return super.tryAcquire(claim);
            }
            Claim alone = Claim.of(claim.key(), claim.owner(), claim.lease(), claim.tokens(), claim.holder());
            return super.tryAcquire(claim.queue() ? alone.queuedSince(claim.sinceMicros()) : alone);
        }
    }

    /** Whoever writes is not. */
    static final class TakesWritersForReaders extends PassingOn {
        TakesWritersForReaders(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return super.tryAcquire(claim.kind() == LockKind.READ_WRITE_LOCK ? claim.forReading() : claim);
        }
    }

    /** A counter for each kind of access. */
    static final class CountsReadersApart extends PassingOn {
        private static final AtomicLong COUNTER = new AtomicLong();
        private static final Map<Owner, Long> APART = new ConcurrentHashMap<>();
        private final Map<Owner, Long> stored = new ConcurrentHashMap<>();

        CountsReadersApart(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return super.tryAcquire(claim)
                    .thenApply(answer ->
                            claim.shared() ? changed(answer, grant -> apart(claim.owner(), grant)) : answer);
        }

        private Grant apart(Owner owner, Grant grant) {
            stored.put(owner, grant.lastToken());
            long last = APART.computeIfAbsent(owner, unused -> COUNTER.addAndGet(grant.tokens()));
            return Grant.full(last, grant.tokens(), grant.validUntilNanos());
        }

        @Override
        public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
            return super.renew(holdings.stream()
                    .map(each -> new Holding(
                            each.key(),
                            each.owner(),
                            stored.getOrDefault(each.owner(), each.lastToken()),
                            each.lease(),
                            each.slot(),
                            each.shared()))
                    .toList());
        }
    }

    /** Readers come in as long as somebody reads. */
    static final class LetsReadersPassWaitingWriters extends PassingOn {
        private record Place(LockBackend client, Claim claim) {}

        private static final Map<String, List<Place>> PLACES = new ConcurrentHashMap<>();

        LetsReadersPassWaitingWriters(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            List<Place> places = PLACES.computeIfAbsent(claim.key(), key -> new ArrayList<>());
            boolean passes = claim.shared() && holders(claim.key()).stream().allMatch(LockState::shared);
            if (!passes) {
                places.add(new Place(right, claim));
                return super.tryAcquire(claim);
            }
            places.removeIf(place -> !place.claim().queue()
                    || isHolder(claim.key(), place.claim().owner()));
            places.forEach(
                    place -> place.client().withdraw(claim.key(), place.claim().owner(), 1));
            CompletionStage<Answer> answer = super.tryAcquire(claim);
            places.forEach(place -> place.client().tryAcquire(place.claim()));
            return answer;
        }
    }

    /** Tells readers, whoever let go; a writer finds out by itself. */
    static final class ForgetsTheWriter extends PassingOn {
        private static final Set<Owner> WRITERS = ConcurrentHashMap.newKeySet();

        ForgetsTheWriter(LockBackend right) {
            super(right);
        }

        @Override
        public void open(Environment environment, Events events) {
            right.open(environment, pushing(events, (owner, grant) -> WRITERS.contains(owner) ? null : grant));
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            if (claim.kind() == LockKind.READ_WRITE_LOCK && !claim.shared()) {
                WRITERS.add(claim.owner());
            }
            return super.tryAcquire(claim);
        }
    }

    /** One key space for all kinds. */
    static final class FilesAllKindsUnderTheName extends PassingOn {
        FilesAllKindsUnderTheName(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            String name = LockKey.nameIn(claim.key());
            return super.tryAcquire(Claim.of(name, claim.owner(), claim.lease(), claim.tokens(), claim.holder()));
        }
    }

    /** Finds by the name, whatever the kind. */
    static final class ListsByNameAlone extends PassingOn {
        ListsByNameAlone(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<List<LockState>> list(String prefix, int limit) {
            return right.list("", Integer.MAX_VALUE)
                    .thenApply(states -> states.stream()
                            .filter(state -> state.name().startsWith(LockKey.nameIn(prefix)))
                            .limit(limit)
                            .toList());
        }
    }

    /** Takes all holdings of a key for one. */
    static final class RenewsOneOfAKey extends PassingOn {
        RenewsOneOfAKey(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
            Set<String> keys = new HashSet<>();
            List<Renewal> answers = new ArrayList<>();
            for (Holding each : holdings) {
                answers.add(
                        keys.add(each.key())
                                ? right.renew(List.of(each))
                                        .toCompletableFuture()
                                        .join()
                                        .get(0)
                                : new Renewal.Renewed(Validity.until(System.nanoTime(), each.lease())));
            }
            return CompletableFuture.completedFuture(answers);
        }
    }

    /** Right, and keeps neither. */
    static final class KeepsLocksOnly extends PassingOn {
        KeepsLocksOnly(LockBackend right) {
            super(right);
        }

        @Override
        public Guarantees guarantees() {
            return refusing("it has only ever known locks");
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return claim.kind() == LockKind.LOCK
                    ? super.tryAcquire(claim)
                    : CompletableFuture.failedFuture(new IllegalStateException("This must never be sent: " + claim));
        }
    }

    private static Guarantees refusing(String reason) {
        return Guarantees.builder()
                .exclusion("all of one process")
                .tokenSource("a counter")
                .waking(Waking.HAND_OVER)
                .fair(true)
                .refuses(LockKind.SEMAPHORE, reason)
                .refuses(LockKind.READ_WRITE_LOCK, reason)
                .build();
    }

    /** Keeps neither, and does not say why. */
    static final class RefusesWithoutAReason extends PassingOn {
        RefusesWithoutAReason(LockBackend right) {
            super(right);
        }

        @Override
        public Guarantees guarantees() {
            return refusing("");
        }
    }
}
