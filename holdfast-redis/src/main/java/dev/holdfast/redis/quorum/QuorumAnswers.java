package dev.holdfast.redis.quorum;

import dev.holdfast.Holder;
import dev.holdfast.Votes;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What a round has brought, as an answer to core; and where claims that have not won may stand in line. */
final class QuorumAnswers {
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
    private final Disputes disputes;

    /** Shared by all leases, because there may be very many. */
    private final List<Votes> numbers;

    /**
     * Where a claim that waits may stand in line, by index of the node: it may have had several homes. A claim is one
     * question at a time, so nobody else touches its set.
     */
    private final ConcurrentHashMap<Owner, BitSet> stood = new ConcurrentHashMap<>();

    QuorumAnswers(Quorum quorum, QuorumTenures tenures) {
        this.quorum = quorum;
        this.members = quorum.members;
        this.environment = quorum.environment;
        this.tenures = tenures;
        this.disputes = new Disputes(quorum.environment);
        this.numbers = IntStream.rangeClosed(0, members.size())
                .mapToObj(granted -> new Votes(granted, members.size()))
                .toList();
    }

    /** The claim waits no longer. The tenure that it led to, if there is one, is not touched. */
    void forget(Owner owner) {
        disputes.over(owner);
        stood.remove(owner);
        quorum.places.forget(owner);
    }

    /** It knows whom it waits for. */
    void undisputed(Claim claim) {
        disputes.over(claim.owner());
    }

    // ---- a victory

    Answer won(Claim claim, int slot, Round.Outcome.Won won, long sentNanos, @Nullable Member home) {
        String name = SlotNames.of(claim.key(), slot);
        Places.Turn told = quorum.places.forget(claim.owner());
        if (told != null && !told.name().equals(name)) {
            quorum.leaveQueue(told.from(), told.name(), claim.owner(), false);
        }
        leaveOtherHomes(claim, name, home);
        Votes votes = numbers.get(won.votes());
        disputes.over(claim.owner());
        tenures.begin(claim.owner(), new QuorumTenures.Won(won.token(), won.tokens(), votes, won.round(), slot));
        long until = Validity.until(sentNanos, claim.lease());
        return new Answer.Granted(new Grant(won.token(), won.tokens(), until, false, votes, slot));
    }

    /** The home of the round that was won has taken the claim out of its queue; those of earlier rounds know nothing. */
    private void leaveOtherHomes(Claim claim, String name, @Nullable Member home) {
        BitSet homes = stood.isEmpty() ? null : stood.remove(claim.owner());
        if (homes == null) {
            return;
        }
        homes.stream()
                .mapToObj(members.all::get)
                .filter(member -> member != home)
                .forEach(member -> quorum.leaveQueue(member, name, claim.owner(), false));
    }

    // ---- what a defeat means

    /** Notes where the claim may stand in line. Why too few nodes have a say, if so. */
    @Nullable
    Exception unavailable(Claim claim, Round.Outcome.Lost lost) {
        if (lost.mayBeQueued()) {
            stood.computeIfAbsent(claim.owner(), owner -> new BitSet()).or(lost.places());
        } else {
            quorum.places.leave(claim.owner());
        }
        return members.size() - lost.failures().size() < members.majority
                ? leftByOutage(claim, members.unavailable(lost.failures()))
                : null;
    }

    /**
     * Too few nodes have a say. That nothing was granted is no proof that nothing is left: while some node keeps a place for
     * the claim, the outcome is unknown, so that core takes it back everywhere and goes on as somebody else. A refusal ends
     * the claim; its place is given up here.
     */
    Exception leftByOutage(Claim claim, Exception why) {
        if (!stood.containsKey(claim.owner())) {
            return why;
        }
        quorum.places.forget(claim.owner());
        if (why instanceof RefusedException) {
            stood.remove(claim.owner());
            String name = SlotNames.of(claim.key(), 0);
            members.all.forEach(member -> quorum.leaveQueue(member, name, claim.owner(), true));
            return why;
        }
        return why instanceof NotSentException ? new TimeoutException(why.getMessage()) : why;
    }

    void standsAt(Claim claim, Member home) {
        stood.computeIfAbsent(claim.owner(), owner -> new BitSet()).set(home.index);
    }

    /** Rivals have split the vote, as far as can be told. Who waits is asked again by core, and others here. */
    CompletionStage<Answer> disputed(
            Claim claim,
            Round.Outcome.Lost lost,
            int splits,
            long sinceNanos,
            Supplier<CompletionStage<Answer>> again) {
        int disputed = claim.queue() ? disputes.met(claim.owner()) : splits;
        long delayNanos = disputeDelay(lost, disputed);
        if (claim.queue() || isHopeless(splits, sinceNanos)) {
            return busy(claim, Math.max(1, delayNanos / 1_000_000), lost);
        }
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        environment.schedule(
                delayNanos,
                () -> again.get().whenComplete((said, failure) -> {
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

    CompletionStage<Answer> busy(Claim claim, long millis, Round.Outcome.Lost lost) {
        List<Round.Sighting> sightings = lost.sightings();
        Holder holder = sightings.stream()
                .filter(each -> each.token() > 0)
                .findFirst()
                .or(() -> sightings.stream().findFirst())
                .map(Round.Sighting::holder)
                .orElse(null);
        return busy(claim, millis, lost.queued(), holder);
    }

    CompletionStage<Answer> busy(Claim claim, long millis, boolean others, @Nullable Holder holder) {
        // Waiters that are sent to sleep by the same lock must not come back in step.
        long behind = others ? environment.random().nextLong(0, Math.min(millis, BEHIND_MILLIS) + 1) : 0;
        return CompletableFuture.completedStage(
                // What may stand in line has to be taken back, too.
                new Answer.Busy(Duration.ofMillis(millis + 1 + behind), stood.containsKey(claim.owner()), holder));
    }
}
