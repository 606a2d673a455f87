package dev.holdfast.tck;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Backends that are wrong in one way each: the mistakes that peers have made, and some that authors are likely to make. */
final class Faults {
    private Faults() {}

    /** Deletes whatever is there. */
    static final class ReleasesWithoutComparing extends PassingOn {
        ReleasesWithoutComparing(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Boolean> release(Holding holding) {
            return seen(holding.key())
                    .map(state ->
                            right.breakLock(state.name(), ownerOf(state), 0).<Boolean>thenApply(Optional::isPresent))
                    .orElseGet(() -> completedFuture(true));
        }
    }

    /** The counter was lost: the same few tokens come back. */
    static final class RepeatsTokens extends PassingOn {
        private final Map<Owner, Long> tokens = new ConcurrentHashMap<>();

        RepeatsTokens(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return right.tryAcquire(claim)
                    .thenApply(answer -> changed(answer, grant -> {
                        tokens.put(claim.owner(), grant.lastToken());
                        return Grant.full(5000, grant.tokens(), grant.validUntilNanos())
                                .ofSlot(grant.slot());
                    }));
        }

        @Override
        public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
            return right.renew(holdings.stream()
                    .map(each -> new Holding(
                            each.key(),
                            each.owner(),
                            tokens.getOrDefault(each.owner(), each.lastToken()),
                            each.lease(),
                            each.slot(),
                            each.shared()))
                    .toList());
        }
    }

    /** Extends the key, whoever wrote it. */
    static final class RenewsForAnybody extends PassingOn {
        RenewsForAnybody(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
            return right.renew(holdings).thenApply(answers -> {
                Renewal renewed = new Renewal.Renewed(System.nanoTime() + 1_000_000_000);
                return Collections.nCopies(answers.size(), renewed);
            });
        }
    }

    /** Says that it renewed, and touches nothing. */
    static final class RenewsInName extends PassingOn {
        RenewsInName(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
            return completedFuture(holdings.stream()
                    .<Renewal>map(each -> new Renewal.Renewed(Validity.until(System.nanoTime(), each.lease())))
                    .toList());
        }
    }

    /** Hands over and tells nobody. */
    static final class LosesWakeUps extends PassingOn {
        LosesWakeUps(LockBackend right) {
            super(right);
        }

        @Override
        public void open(Environment environment, Events events) {
            right.open(environment, Interrupted.instead(events, () -> true, () -> {}));
        }
    }

    /** Says each time that contact was broken, instead of handing over. */
    static final class NeverHandsOver extends PassingOn {
        NeverHandsOver(LockBackend right) {
            super(right);
        }

        @Override
        public void open(Environment environment, Events events) {
            right.open(environment, Interrupted.instead(events, () -> true, () -> events.recheckAll("planted")));
        }
    }

    /** Removes the claim from the queue and forgets that it may have been granted. */
    static final class LeaksGrantsOnWithdrawal extends PassingOn {
        LeaksGrantsOnWithdrawal(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
            return isHolder(key, owner) ? completedFuture(null) : right.withdraw(key, owner, slots);
        }
    }

    /** Releases a grant and forgets the place in the queue. */
    static final class LeavesWithdrawnClaimsQueued extends PassingOn {
        LeavesWithdrawnClaimsQueued(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
            return isHolder(key, owner) ? right.withdraw(key, owner, slots) : completedFuture(null);
        }

        @Override
        public void close() {}
    }

    /** Counts the resent claim as a second one. */
    static final class GrantsResentClaimsAnew extends PassingOn {
        GrantsResentClaimsAnew(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return right.breakLock(claim.key(), claim.owner(), slotOf(claim))
                    .thenCompose(ended -> right.tryAcquire(claim));
        }
    }

    /** A resent claim goes to the end of the queue. */
    static final class MovesResentClaimsBack extends PassingOn {
        MovesResentClaimsBack(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return isHolder(claim.key(), claim.owner())
                    ? right.tryAcquire(claim)
                    : right.withdraw(claim.key(), claim.owner(), 1).thenCompose(gone -> right.tryAcquire(claim));
        }
    }

    /** Whoever came last goes first. */
    static final class ServesTheNewestFirst extends PassingOn {
        private record Place(LockBackend client, Claim claim) {}

        private static final Map<String, List<Place>> PLACES = new ConcurrentHashMap<>();

        ServesTheNewestFirst(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            if (!claim.queue()) {
                return right.tryAcquire(claim);
            }
            List<Place> places = PLACES.computeIfAbsent(claim.key(), name -> new ArrayList<>());
            places.forEach(
                    place -> place.client().withdraw(claim.key(), place.claim().owner(), 1));
            CompletionStage<Answer> answer = right.tryAcquire(claim);
            places.add(0, new Place(right, claim));
            places.forEach(place -> place.client().tryAcquire(place.claim()));
            return answer;
        }
    }

    /** Two steps where there must be one: looks, and then writes. */
    static final class GrantsEverybody extends PassingOn {
        GrantsEverybody(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            long until = System.nanoTime() + claim.lease().toNanos();
            return right.tryAcquire(claim)
                    .thenApply(answer -> answer instanceof Answer.Busy
                            ? new Answer.Granted(Grant.full(System.nanoTime(), claim.tokens(), until))
                            : answer);
        }
    }

    /** Says that nobody is woken, and wakes them. */
    static final class DeclaresTooLittle extends PassingOn {
        DeclaresTooLittle(LockBackend right) {
            super(right);
        }

        @Override
        public Guarantees guarantees() {
            return Guarantees.builder()
                    .exclusion("all of one process")
                    .tokenSource("a counter")
                    .waking(Waking.POLL)
                    .fair(false)
                    .build();
        }
    }

    /** Says nothing of the one process that is all it serves. */
    static final class ClaimsToBeShared extends PassingOn {
        ClaimsToBeShared(LockBackend right) {
            super(right);
        }

        @Override
        public Guarantees guarantees() {
            return Guarantees.builder()
                    .exclusion("everything")
                    .tokenSource("a counter")
                    .waking(Waking.HAND_OVER)
                    .fair(true)
                    .build();
        }
    }

    /** Declares a queue and has none. */
    static final class DeclaresTooMuch extends PassingOn {
        DeclaresTooMuch(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return right.tryAcquire(Wire.unqueued(claim));
        }
    }

    /** Breaks whatever is there by now. */
    static final class BreaksAnyOwner extends PassingOn {
        BreaksAnyOwner(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
            return right.breakLock(key, seen(key).map(PassingOn::ownerOf).orElse(owner), slot);
        }
    }

    /** Forgets the minimum. */
    static final class FreesAtOnce extends PassingOn {
        FreesAtOnce(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
            return right.release(holding);
        }
    }

    /** Leaves the lock to its lease, whatever the minimum is, and whoever asks. */
    static final class KeepsTheLease extends PassingOn {
        KeepsTheLease(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
            return completedFuture(true);
        }
    }

    /** Answers in the order in which the store's partitions came back. */
    static final class MixesUpBatches extends PassingOn {
        MixesUpBatches(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
            return right.renew(holdings).thenApply(answers -> {
                List<Renewal> reversed = new ArrayList<>(answers);
                Collections.reverse(reversed);
                return reversed;
            });
        }
    }

    /** The limit was for the page, not for the answer. */
    static final class ListsWithoutLimit extends PassingOn {
        ListsWithoutLimit(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<List<LockState>> list(String prefix, int limit) {
            return right.list(prefix, Integer.MAX_VALUE);
        }
    }

    /** A column whose collation ignores case. */
    static final class FoldsCase extends PassingOn {
        FoldsCase(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            return right.tryAcquire(Wire.like(claim, claim.key().toLowerCase(Locale.ROOT), claim.lease()));
        }
    }

    /** Tidies up when it is closed, under the feet of whoever is still working. */
    static final class FreesLocksOnClose extends PassingOn {
        private final Map<String, Owner> held = new ConcurrentHashMap<>();

        FreesLocksOnClose(LockBackend right) {
            super(right);
        }

        @Override
        public CompletionStage<Answer> tryAcquire(Claim claim) {
            held.put(claim.key(), claim.owner());
            return right.tryAcquire(claim);
        }

        @Override
        public void close() {
            held.forEach((key, owner) -> right.withdraw(key, owner, 1));
            right.close();
        }
    }

    /** Marks the server and not the connection. */
    static final class MarksAllConnectionsAlike extends PassingOn {
        MarksAllConnectionsAlike(LockBackend right) {
            super(right);
        }

        @Override
        public long connectionMark() {
            return 7;
        }
    }
}
