package dev.holdfast.redis.quorum;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Renewal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Turns claims into rounds. What rounds bring {@link QuorumAnswers} turns into answers. */
final class QuorumClaims {
    private final Quorum quorum;
    private final Members members;
    private final Environment environment;
    private final QuorumTenures tenures;
    /** Complete once a majority of the inboxes has been tried: no claim is queued at a node that cannot reach us. */
    private final CompletableFuture<?> inboxes;
    /** Asked and not answered yet: a claim that is sent again is the same claim. */
    private final ConcurrentHashMap<Owner, CompletableFuture<Answer>> asked = new ConcurrentHashMap<>();

    private final QuorumAnswers answers;
    private final SlotClaims slots;

    QuorumClaims(Quorum quorum, QuorumTenures tenures, CompletableFuture<?> inboxes) {
        this.quorum = quorum;
        this.members = quorum.members;
        this.environment = quorum.environment;
        this.tenures = tenures;
        this.answers = new QuorumAnswers(quorum, tenures);
        this.slots = new SlotClaims(quorum, answers);
        this.inboxes = inboxes;
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
        answers.forget(owner);
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
        Holding holding = new Holding(claim.key(), claim.owner(), known.token(), claim.lease(), known.slot(), false);
        return tenures.renew(List.of(holding)).thenCompose(renewals -> {
            Renewal renewal = renewals.get(0);
            if (renewal instanceof Renewal.Renewed renewed) {
                Grant grant = new Grant(known.token(), known.tokens(), renewed.validUntilNanos(), false, known.votes());
                return CompletableFuture.completedStage(new Answer.Granted(grant.ofSlot(known.slot())));
            }
            if (renewal instanceof Renewal.Unknown unknown) {
                return CompletableFuture.failedStage(unknown.cause());
            }
            tenures.forget(claim.owner());
            if (isOfSemaphore(claim)) {
                // It may get another slot: what is left of this one would be nobody's.
                Quorum.Ask ended = quorum.ask(claim, Quorum.nameOf(holding), known.round());
                members.all.forEach(member -> quorum.undo(member, ended, false, false));
            }
            return first(claim);
        });
    }

    private static boolean isOfSemaphore(Claim claim) {
        return SlotNames.isSemaphore(claim.key());
    }

    private CompletionStage<Answer> first(Claim claim) {
        if (isOfSemaphore(claim)) {
            return slots.claim(claim);
        }
        Member home = claim.queue() ? members.home(claim.key()).orElse(null) : null;
        // A claim with a place asks because it is its turn, or because its time is over: no detour then. Nor if too few
        // are
        // healthy: home alone would say "busy", if only of a place that is kept for somebody, and it is "unavailable".
        boolean homeFirst = home != null
                && members.isBusy(Keys.bucket(claim.key()))
                && !quorum.places.has(claim.owner())
                && members.majorityIsHealthy();
        quorum.places.leave(claim.owner());
        boolean turn = quorum.places.takeTurn(claim.owner()) != null;
        return run(claim, home, homeFirst, turn, 0, environment.nanoTime());
    }

    private CompletionStage<Answer> run(
            Claim claim, @Nullable Member home, boolean homeFirst, boolean turn, int splits, long sinceNanos) {
        Round round = new Round(quorum, claim, claim.key());
        CompletionStage<Round.Outcome> outcome =
                homeFirst && home != null ? round.homeFirst(home) : round.everywhere(home);
        return outcome.thenCompose(end -> {
            if (end instanceof Round.Outcome.Won won) {
                return CompletableFuture.completedStage(answers.won(claim, 0, won, round.sentNanos, home));
            }
            return lost(claim, (Round.Outcome.Lost) end, turn, splits, sinceNanos);
        });
    }

    private CompletionStage<Answer> lost(
            Claim claim, Round.Outcome.Lost lost, boolean turn, int splits, long sinceNanos) {
        Exception why = answers.unavailable(claim, lost);
        if (why != null) {
            return CompletableFuture.failedStage(why);
        }
        members.noteBusy(Keys.bucket(claim.key()));
        boolean queued = lost.queued();
        if (lost.byHome() && queued) {
            answers.undisputed(claim);
            return answers.busy(claim, Math.min(quorum.window.toMillis(), longest(lost.sightings())), lost);
        }
        // Whose turn it is was told so by a holder that lets go. If it is still seen somewhere, the rest of its release
        // is
        // under way: nobody would tell us again.
        long remaining = turn ? -1 : remainingOfHolder(lost.sightings());
        if (remaining >= 0) {
            answers.undisputed(claim);
            return answers.busy(claim, queued ? remaining : Math.min(remaining, quorum.window.toMillis()), lost);
        }
        return answers.disputed(
                claim, lost, splits, sinceNanos, () -> run(claim, null, false, false, splits + 1, sinceNanos));
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
