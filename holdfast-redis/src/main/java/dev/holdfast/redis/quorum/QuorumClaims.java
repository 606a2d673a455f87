package dev.holdfast.redis.quorum;

import dev.holdfast.Holder;
import dev.holdfast.Votes;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Turns claims into rounds, and what rounds bring into answers. */
final class QuorumClaims {
    /** A caller that does not wait is told "busy" only if somebody has the lock. Where rivals split the vote it tries again, so often. */
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
    /** Complete once a majority of the inboxes has been tried: no claim is queued at a node that cannot reach us. */
    private final CompletableFuture<?> inboxes;
    /** Asked and not answered yet: a claim that is sent again is the same claim. */
    private final ConcurrentHashMap<Owner, CompletableFuture<Answer>> asked = new ConcurrentHashMap<>();

    /** Shared by all leases, because there may be very many. */
    private final List<Votes> numbers;

    private final Disputes disputes;

    /**
     * Where a claim that waits may stand in line, by index of the node: it may have had several homes. A claim is one
     * question at a time, so nobody else touches its set.
     */
    private final ConcurrentHashMap<Owner, BitSet> stood = new ConcurrentHashMap<>();

    QuorumClaims(Quorum quorum, QuorumTenures tenures, CompletableFuture<?> inboxes) {
        this.quorum = quorum;
        this.members = quorum.members;
        this.environment = quorum.environment;
        this.tenures = tenures;
        this.disputes = new Disputes(quorum.environment);
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

    /** Whether this claim is being asked for now, or has been granted: then what is kept for it is of use. */
    boolean isInUse(Owner owner) {
        return asked.containsKey(owner) || tenures.known(owner) != null;
    }

    boolean isAsked(Owner owner) {
        return asked.containsKey(owner);
    }

    /** Released, withdrawn or lost: the owner is not used again. */
    void forget(Owner owner) {
        tenures.forget(owner);
        noLongerWaits(owner);
    }

    /** The tenure that it led to, if there is one, is not touched. */
    void noLongerWaits(Owner owner) {
        disputes.over(owner);
        stood.remove(owner);
        quorum.places.forget(owner);
    }

    private CompletionStage<Answer> answer(Claim claim) {
        QuorumTenures.Won known = tenures.known(claim.owner());
        if (known != null) {
            return again(claim, known);
        }
        CompletionStage<Boolean> announced = quorum.maxLeaseRecord.announce();
        return announced.toCompletableFuture().isDone() ? first(claim) : announced.thenCompose(yes -> first(claim));
    }

    /** Granted before: the same grant again, if a majority still stands for it. */
    private CompletionStage<Answer> again(Claim claim, QuorumTenures.Won known) {
        Holding holding = new Holding(claim.key(), claim.owner(), known.token(), claim.lease());
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
        Member home = claim.queue() ? members.home(claim.key()).orElse(null) : null;
        // A claim with a place asks because it is its turn, or because its time is over: no detour then. Nor if too few
        // are
        // healthy: home alone would say "busy", if only of a place that is kept for somebody, and it is "unavailable".
        boolean homeFirst = home != null
                && members.isBusy(Keys.bucket(claim.key()))
                && !quorum.places.has(claim.owner())
                && members.majorityIsHealthy();
        quorum.places.leave(claim.owner());
        boolean turn = quorum.places.takeTurn(claim.owner());
        return run(claim, home, homeFirst, turn, 0, environment.nanoTime());
    }

    private CompletionStage<Answer> run(
            Claim claim, @Nullable Member home, boolean homeFirst, boolean turn, int splits, long sinceNanos) {
        Round round = new Round(quorum, claim);
        CompletionStage<Round.Outcome> outcome =
                homeFirst && home != null ? round.homeFirst(home) : round.everywhere(home);
        return outcome.thenCompose(end -> {
            if (end instanceof Round.Outcome.Won won) {
                return CompletableFuture.completedStage(won(claim, won, round.sentNanos, home));
            }
            return lost(claim, (Round.Outcome.Lost) end, turn, splits, sinceNanos);
        });
    }

    private Answer won(Claim claim, Round.Outcome.Won won, long sentNanos, @Nullable Member home) {
        quorum.places.forget(claim.owner());
        leaveOtherHomes(claim, home);
        Votes votes = numbers.get(won.votes());
        disputes.over(claim.owner());
        tenures.begin(claim.owner(), new QuorumTenures.Won(won.token(), won.tokens(), votes, won.round()));
        return new Answer.Granted(
                new Grant(won.token(), won.tokens(), Validity.until(sentNanos, claim.lease()), false, votes));
    }

    /** The home of the round that was won has taken the claim out of its queue; those of earlier rounds know nothing. */
    private void leaveOtherHomes(Claim claim, @Nullable Member home) {
        BitSet homes = stood.isEmpty() ? null : stood.remove(claim.owner());
        if (homes == null) {
            return;
        }
        homes.stream()
                .mapToObj(members.all::get)
                .filter(member -> member != home)
                .forEach(member -> quorum.leaveQueue(member, claim.key(), claim.owner(), false));
    }

    private CompletionStage<Answer> lost(
            Claim claim, Round.Outcome.Lost lost, boolean turn, int splits, long sinceNanos) {
        if (!lost.mayBeQueued()) {
            quorum.places.leave(claim.owner());
        }
        if (lost.mayBeQueued()) {
            stood.computeIfAbsent(claim.owner(), owner -> new BitSet()).or(lost.places());
        }
        if (members.size() - lost.failures().size() < members.majority) {
            return CompletableFuture.failedStage(unavailable(claim, lost));
        }
        members.noteBusy(Keys.bucket(claim.key()));
        boolean queued = lost.queued();
        if (lost.byHome() && queued) {
            disputes.over(claim.owner());
            return busy(claim, Math.min(quorum.window.toMillis(), longest(lost.sightings())), lost);
        }
        // Whose turn it is was told so by a holder that lets go. If it is still seen somewhere, the rest of its release
        // is
        // under way: nobody would tell us again.
        long remaining = turn ? -1 : remainingOfHolder(lost.sightings());
        if (remaining >= 0) {
            disputes.over(claim.owner());
            return busy(claim, queued ? remaining : Math.min(remaining, quorum.window.toMillis()), lost);
        }
        int disputed = claim.queue() ? disputes.met(claim.owner()) : splits;
        long delayNanos = disputeDelay(lost, disputed);
        if (claim.queue() || isHopeless(splits, sinceNanos)) {
            return busy(claim, Math.max(1, delayNanos / 1_000_000), lost);
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        environment.schedule(
                delayNanos,
                () -> run(claim, null, false, false, splits + 1, sinceNanos).whenComplete((said, failure) -> {
                    if (failure == null) {
                        answer.complete(said);
                    } else {
                        answer.completeExceptionally(Member.unwrap(failure));
                    }
                }));
        return answer;
    }

    /**
     * Too few nodes have a say. That nothing was granted is no proof that nothing is left: while some node keeps a place for
     * the claim, the outcome is unknown, so that core takes it back everywhere and goes on as somebody else. A refusal ends
     * the claim; its place is given up here.
     */
    private Exception unavailable(Claim claim, Round.Outcome.Lost lost) {
        Exception why = members.unavailable(lost.failures());
        if (!stood.containsKey(claim.owner())) {
            return why;
        }
        quorum.places.forget(claim.owner());
        if (why instanceof RefusedException) {
            stood.remove(claim.owner());
            members.all.forEach(member -> quorum.leaveQueue(member, claim.key(), claim.owner(), true));
            return why;
        }
        return why instanceof NotSentException ? new TimeoutException(why.getMessage()) : why;
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

    private CompletionStage<Answer> busy(Claim claim, long millis, Round.Outcome.Lost lost) {
        List<Round.Sighting> sightings = lost.sightings();
        // Waiters that are sent to sleep by the same lock must not come back in step.
        long behind = lost.queued() ? environment.random().nextLong(0, Math.min(millis, BEHIND_MILLIS) + 1) : 0;
        Holder holder = sightings.stream()
                .filter(each -> each.token() > 0)
                .findFirst()
                .or(() -> sightings.stream().findFirst())
                .map(Round.Sighting::holder)
                .orElse(null);
        return CompletableFuture.completedStage(
                // What may stand in line has to be taken back, too.
                new Answer.Busy(Duration.ofMillis(millis + 1 + behind), stood.containsKey(claim.owner()), holder));
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
