package dev.holdfast.redis.quorum;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Claims for a semaphore. A slot is a lock, and is asked for by a round like any other, one slot at a time: a round that is lost is
 * undone before the next begins, so no claim ever has two. Which slot to ask for the home of the semaphore suggests, or the turn
 * says.
 */
final class SlotClaims {
    private final Quorum quorum;
    private final Members members;
    private final QuorumAnswers answers;
    private final FreeSlots freeSlots;

    SlotClaims(Quorum quorum, QuorumAnswers answers) {
        this.quorum = quorum;
        this.members = quorum.members;
        this.answers = answers;
        this.freeSlots = new FreeSlots(quorum);
    }

    CompletionStage<Answer> claim(Claim claim) {
        return anySlot(claim, 0, quorum.environment.nanoTime());
    }

    private CompletionStage<Answer> anySlot(Claim claim, int splits, long sinceNanos) {
        Member home = members.home(claim.key()).orElse(null);
        quorum.places.leave(claim.owner());
        Places.Turn turn = quorum.places.takeTurn(claim.owner());
        int told = turn == null ? FreeSlots.NONE : SlotNames.slotOf(turn.name());
        if (turn != null && told < claim.slots()) {
            return askForSlot(claim, told, home, false, splits, sinceNanos);
        }
        if (home == null) {
            return lookForSlot(claim, null, null, splits, sinceNanos);
        }
        CompletionStage<CompletionStage<Answer>> suggested = quorum.suggest(home, claim)
                .handle((suggestion, failure) -> {
                    if (suggestion instanceof QuorumReplies.Suggestion.Slot slot && slot.number() < claim.slots()) {
                        return askForSlot(claim, slot.number(), home, true, splits, sinceNanos);
                    }
                    boolean mayStand = suggestion instanceof QuorumReplies.Suggestion.AllTaken taken
                            ? taken.place() > 0
                            : claim.queue() && !Member.isProof(failure == null ? null : Member.unwrap(failure));
                    if (mayStand) {
                        answers.standsAt(claim, home);
                    } else {
                        quorum.places.leave(claim.owner());
                    }
                    // Where too few answer, home alone would say "busy", if only of a place that is kept for somebody.
                    if (suggestion instanceof QuorumReplies.Suggestion.AllTaken taken
                            && mayStand
                            && members.majorityIsHealthy()) {
                        answers.undisputed(claim);
                        return answers.busy(claim, taken.remainingMillis(), taken.place() > 1, taken.holder());
                    }
                    var taken = suggestion instanceof QuorumReplies.Suggestion.AllTaken all ? all : null;
                    return lookForSlot(claim, null, taken, splits, sinceNanos);
                });
        return suggested.thenCompose(answer -> answer);
    }

    /** @param look whether to look for another slot if it is refused */
    private CompletionStage<Answer> askForSlot(
            Claim claim, int slot, @Nullable Member home, boolean look, int splits, long sinceNanos) {
        Round round = new Round(quorum, claim, SlotNames.of(claim.key(), slot));
        return round.everywhere(claim.queue() ? home : null).thenCompose(end -> {
            if (end instanceof Round.Outcome.Won won) {
                return CompletableFuture.completedStage(answers.won(claim, slot, won, round.sentNanos, home));
            }
            Round.Outcome.Lost lost = (Round.Outcome.Lost) end;
            Exception why = answers.unavailable(claim, lost);
            if (why != null) {
                return CompletableFuture.failedStage(why);
            }
            return look
                    ? lookForSlot(claim, lost, null, splits, sinceNanos)
                    : disputedSlot(claim, lost, splits, sinceNanos);
        });
    }

    private CompletionStage<Answer> disputedSlot(Claim claim, Round.Outcome.Lost lost, int splits, long sinceNanos) {
        return answers.disputed(claim, lost, splits, sinceNanos, () -> anySlot(claim, splits + 1, sinceNanos));
    }

    /**
     * The home cannot say, or was wrong.
     *
     * @param lost the round for the slot that the home suggested, if it did
     * @param taken what the home has said, if it suggested none
     */
    private CompletionStage<Answer> lookForSlot(
            Claim claim,
            Round.Outcome.@Nullable Lost lost,
            QuorumReplies.Suggestion.@Nullable AllTaken taken,
            int splits,
            long sinceNanos) {
        CompletionStage<CompletionStage<Answer>> looked = freeSlots.find(claim).handle((slot, failure) -> {
            if (failure != null) {
                Throwable why = Member.unwrap(failure);
                return CompletableFuture.failedStage(
                        why instanceof Exception outage ? answers.leftByOutage(claim, outage) : why);
            }
            if (slot != FreeSlots.NONE) {
                Member home = members.home(claim.key()).orElse(null);
                return askForSlot(claim, slot, home, false, splits, sinceNanos);
            }
            if (lost != null && claim.queue()) {
                // The home takes a slot for free that is held, or the rest of its release is under way: nobody would
                // tell us.
                return disputedSlot(claim, lost, splits, sinceNanos);
            }
            long window = quorum.window.toMillis();
            return taken == null
                    ? answers.busy(claim, window, false, null)
                    : answers.busy(claim, Math.min(window, taken.remainingMillis()), false, taken.holder());
        });
        return looked.thenCompose(answer -> answer);
    }
}
