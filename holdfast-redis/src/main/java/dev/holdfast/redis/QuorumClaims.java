package dev.holdfast.redis;

import dev.holdfast.Holder;
import dev.holdfast.Votes;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Turns claims into rounds, and what rounds bring into answers. */
final class QuorumClaims {
    /** Who will not wait is told "busy" only if somebody has it; rivals that split the vote try again, but not for ever. */
    private static final int MOST_SPLITS = 10;

    private static final long LONGEST_DISPUTE_NANOS = 500_000_000;
    /** A waiter behind others comes a little after them: it is their turn. */
    private static final int BEHIND_MILLIS = 100;

    private static final long SHORTEST_DELAY_NANOS = 2_000_000;
    private static final long LONGEST_BASE_NANOS = 50_000_000;
    private static final long LONGEST_DELAY_NANOS = 1_000_000_000;
    private static final int MOST_DOUBLINGS = 10;

    private final Quorum quorum;
    private final Members members;
    private final Environment environment;
    private final QuorumTenures tenures;
    /** Complete once a majority of the inboxes has been tried: nobody is queued where he cannot be told. */
    private final CompletableFuture<?> inboxes;
    /** Asked and not answered yet: a claim that is sent again is the same claim. */
    private final ConcurrentHashMap<Owner, CompletableFuture<Answer>> asked = new ConcurrentHashMap<>();

    /** Shared by all leases, because there may be very many. */
    private final List<Votes> numbers;

    /** How often in a row a claim that waits has met rivals of whom none had a majority. */
    private final ConcurrentHashMap<Owner, Integer> disputes = new ConcurrentHashMap<>();

    QuorumClaims(Quorum quorum, QuorumTenures tenures, CompletableFuture<?> inboxes) {
        this.quorum = quorum;
        this.members = quorum.members;
        this.environment = quorum.environment;
        this.tenures = tenures;
        this.inboxes = inboxes;
        this.numbers = IntStream.rangeClosed(0, members.size())
                .mapToObj(granted -> new Votes(granted, members.size()))
                .toList();
    }

    CompletionStage<Answer> claim(Claim claim) {
        if (claim.lease().compareTo(quorum.maxLease) > 0) {
            return CompletableFuture.failedFuture(new RefusedException("A lease of "
                    + claim.lease().toMillis() + " ms is longer than the " + quorum.maxLease.toMillis()
                    + " ms for which a restarted node is kept from voting. Set maxLease on every client's builder"));
        }
        CompletableFuture<Answer> fresh = new CompletableFuture<>();
        CompletableFuture<Answer> before = asked.putIfAbsent(claim.owner(), fresh);
        if (before != null) {
            return before;
        }
        CompletionStage<Answer> answer = claim.queue() && !inboxes.isDone()
                ? inboxes.handle((done, failure) -> claim).thenCompose(this::answer)
                : answer(claim);
        answer.whenComplete((said, failure) -> {
            asked.remove(claim.owner());
            if (failure == null) {
                fresh.complete(said);
            } else {
                fresh.completeExceptionally(Member.unwrap(failure));
            }
        });
        return fresh;
    }

    /** Released, withdrawn or lost: the owner is not used again. */
    void forget(Owner owner) {
        tenures.forget(owner);
        disputes.remove(owner);
        quorum.places.forget(owner);
    }

    private CompletionStage<Answer> answer(Claim claim) {
        QuorumTenures.Won known = tenures.known(claim.owner());
        if (known != null) {
            return again(claim, known);
        }
        CompletionStage<Boolean> announced = quorum.announceMaxLease();
        return announced.toCompletableFuture().isDone() ? first(claim) : announced.thenCompose(yes -> first(claim));
    }

    /** Granted before: the same grant again, if a majority still stands for it. */
    private CompletionStage<Answer> again(Claim claim, QuorumTenures.Won known) {
        Holding holding = new Holding(claim.name(), claim.owner(), known.token(), claim.lease());
        return tenures.renew(List.of(holding)).thenCompose(renewals -> {
            Renewal renewal = renewals.get(0);
            if (renewal instanceof Renewal.Renewed renewed) {
                Grant grant = new Grant(known.token(), known.tokens(), renewed.validUntilNanos(), false, known.votes());
                return CompletableFuture.completedStage(new Answer.Granted(grant));
            }
            if (renewal instanceof Renewal.Unknown unknown) {
                return CompletableFuture.failedStage(unknown.cause());
            }
            tenures.forget(claim.owner());
            return first(claim);
        });
    }

    private CompletionStage<Answer> first(Claim claim) {
        Member home = claim.queue() ? members.home(claim.name()).orElse(null) : null;
        // Who has a place comes because it is its turn, or because its time is over: no detour then. Nor if too few are
        // well: home alone would say "busy", if only of a place that is kept for somebody, and it is "unavailable".
        boolean homeFirst = home != null
                && members.isBusy(Keys.bucket(claim.name()))
                && !quorum.places.has(claim.owner())
                && members.majorityIsWell();
        quorum.places.forget(claim.owner());
        return run(claim, home, homeFirst, 0, environment.nanoTime());
    }

    private CompletionStage<Answer> run(
            Claim claim, @Nullable Member home, boolean homeFirst, int splits, long sinceNanos) {
        Round round = new Round(quorum, claim);
        CompletionStage<Round.Outcome> outcome =
                homeFirst && home != null ? round.homeFirst(home) : round.everywhere(home);
        return outcome.thenCompose(end -> {
            if (end instanceof Round.Outcome.Won won) {
                return CompletableFuture.completedStage(won(claim, won, round.sentNanos));
            }
            return lost(claim, (Round.Outcome.Lost) end, homeFirst, splits, sinceNanos);
        });
    }

    private Answer won(Claim claim, Round.Outcome.Won won, long sentNanos) {
        quorum.places.forget(claim.owner());
        Votes votes = numbers.get(won.votes());
        disputes.remove(claim.owner());
        tenures.begin(claim.owner(), new QuorumTenures.Won(won.token(), won.tokens(), votes, won.round()));
        return new Answer.Granted(
                new Grant(won.token(), won.tokens(), Validity.until(sentNanos, claim.lease()), false, votes));
    }

    private CompletionStage<Answer> lost(
            Claim claim, Round.Outcome.Lost lost, boolean homeFirst, int splits, long sinceNanos) {
        if (lost.queuedAt() == null) {
            quorum.places.forget(claim.owner());
        }
        if (members.size() - lost.failures().size() < members.majority) {
            return CompletableFuture.failedStage(members.unavailable(lost.failures()));
        }
        members.noteBusy(Keys.bucket(claim.name()));
        boolean queued = lost.queuedAt() != null;
        if (homeFirst && queued) {
            disputes.remove(claim.owner());
            return busy(Math.min(quorum.window.toMillis(), longest(lost.sightings())), true, lost.sightings());
        }
        long remaining = remainingOfHolder(lost.sightings());
        if (remaining >= 0) {
            disputes.remove(claim.owner());
            return busy(queued ? remaining : Math.min(remaining, quorum.window.toMillis()), queued, lost.sightings());
        }
        int disputed = claim.queue() ? disputes.merge(claim.owner(), 1, Integer::sum) : splits;
        long delayNanos = disputeDelay(lost, disputed);
        if (claim.queue() || isHopeless(splits, sinceNanos)) {
            return busy(Math.max(1, delayNanos / 1_000_000), queued, lost.sightings());
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        environment.schedule(
                delayNanos,
                () -> run(claim, null, false, splits + 1, sinceNanos).whenComplete((said, failure) -> {
                    if (failure == null) {
                        answer.complete(said);
                    } else {
                        answer.completeExceptionally(Member.unwrap(failure));
                    }
                }));
        return answer;
    }

    private boolean isHopeless(int splits, long sinceNanos) {
        return splits >= MOST_SPLITS && environment.nanoTime() - sinceNanos > LONGEST_DISPUTE_NANOS;
    }

    /**
     * Longer than an acquisition takes, and random, so that rivals stop splitting the vote. It grows: votes that nobody can
     * win, because a node that would decide does not vote, stay until they expire.
     */
    private long disputeDelay(Round.Outcome.Lost lost, int disputes) {
        long base = Math.min(Math.max(SHORTEST_DELAY_NANOS, 2 * lost.elapsedNanos()), LONGEST_BASE_NANOS);
        long expiry = lost.sightings().stream()
                .mapToLong(each -> each.remainingMillis() * 1_000_000)
                .min()
                .orElse(0);
        long spread = Math.min(base << Math.min(disputes, MOST_DOUBLINGS), Math.max(base, expiry));
        return base + (long) (environment.random().nextDouble() * Math.min(spread, LONGEST_DELAY_NANOS));
    }

    private CompletionStage<Answer> busy(long millis, boolean queued, List<Round.Sighting> sightings) {
        // Waiters that are sent to sleep by the same lock must not come back in step.
        long behind = queued ? environment.random().nextLong(0, Math.min(millis, BEHIND_MILLIS) + 1) : 0;
        Holder holder = sightings.stream()
                .filter(each -> each.token() > 0)
                .findFirst()
                .or(() -> sightings.stream().findFirst())
                .map(Round.Sighting::holder)
                .orElse(null);
        return CompletableFuture.completedStage(
                new Answer.Busy(Duration.ofMillis(millis + 1 + behind), queued, holder));
    }

    private static long longest(List<Round.Sighting> sightings) {
        return sightings.stream()
                .mapToLong(Round.Sighting::remainingMillis)
                .max()
                .orElse(0);
    }

    /** If a majority names one holder: after how many milliseconds a majority is free again. Otherwise negative. */
    private long remainingOfHolder(List<Round.Sighting> sightings) {
        Map<String, long[]> byOwner = new HashMap<>();
        for (Round.Sighting each : sightings) {
            if (each.token() > 0) {
                byOwner.computeIfAbsent(each.owner(), owner -> new long[members.size()])[each.node()] =
                        each.remainingMillis() + 1;
            }
        }
        for (long[] remaining : byOwner.values()) {
            if (Arrays.stream(remaining).filter(each -> each > 0).count() >= members.majority) {
                return Members.sorted(remaining)[members.majority - 1];
            }
        }
        return -1;
    }
}
