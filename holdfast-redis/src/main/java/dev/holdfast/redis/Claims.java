package dev.holdfast.redis;

import dev.holdfast.redis.node.HandOverWatch;
import dev.holdfast.redis.node.HolderTexts;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.NotConfirmedException;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.Replies;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.ScriptRunner;
import dev.holdfast.redis.node.ServerClocks;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.ReleasedButClaimFailedException;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends claims to the server that keeps the name, and reads the answers. */
final class Claims {
    /** A server that carries requests out so late three times in a row is not going to be in time the fourth time. */
    private static final int MOST_ATTEMPTS = 3;
    /** How often to ask where nobody can tell us: the inbox is being restored. */
    private static final long POLL_MILLIS = 500;
    /** A waiter behind others comes a little after them: it is their turn. */
    private static final int BEHIND_MILLIS = 100;

    private final Topology servers;
    private final Keys keys;
    private final RequestContext context;
    private final Duration timeout;
    private final Environment environment;
    private final ServerClocks clocks;
    private final Inbox inbox;
    private final HandOverWatch handOvers;
    private final QueuedClaimsCheck queuedClaims;
    private final HolderTexts holders = new HolderTexts();

    Claims(
            Topology servers,
            Keys keys,
            RequestContext context,
            Duration timeout,
            Environment environment,
            ServerClocks clocks,
            Inbox inbox,
            HandOverWatch handOvers,
            QueuedClaimsCheck queuedClaims) {
        this.servers = servers;
        this.keys = keys;
        this.context = context;
        this.timeout = timeout;
        this.environment = environment;
        this.clocks = clocks;
        this.inbox = inbox;
        this.handOvers = handOvers;
        this.queuedClaims = queuedClaims;
    }

    /** @param released a tenure to end in the same step, before the claim; only of a lock */
    CompletionStage<Answer> claim(Claim claim, @Nullable Owner released) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        if (claim.queue() && !inbox.firstAttempt().isDone()) {
            // Nobody is queued before the server can reach us.
            var unused = inbox.firstAttempt().thenRun(() -> send(claim, released, MOST_ATTEMPTS, answer));
        } else {
            send(claim, released, MOST_ATTEMPTS, answer);
        }
        return answer;
    }

    private void send(Claim claim, @Nullable Owner released, int attempts, CompletableFuture<Answer> answer) {
        RefusedException refusal = claim.queue() ? inbox.refusal() : null;
        if (refusal != null) {
            answer.completeExceptionally(refusal);
            return;
        }
        Attempt attempt = new Attempt(claim, released);
        servers.at(claim.key(), attempt).whenComplete((reply, failure) -> {
            if (failure != null) {
                failed(claim, released, failure, answer);
                return;
            }
            try {
                read(attempt, reply, attempts, answer);
            } catch (RuntimeException e) {
                // An answer that makes no sense proves nothing, and somebody waits for this one.
                answer.completeExceptionally(e);
            }
        });
    }

    /**
     * One request, made anew for each server that it is taken to. When it was sent and to whom is written before it goes out and read
     * when it is answered, so there is no race; an object for each answer would be one more for each claim.
     */
    private final class Attempt implements Function<ScriptRunner, CompletionStage<List<Object>>> {
        final Claim claim;
        final @Nullable Owner released;
        RedisNode.Identity server = RedisNode.Identity.UNKNOWN;
        long sent;

        Attempt(Claim claim, @Nullable Owner released) {
            this.claim = claim;
            this.released = released;
        }

        @Override
        public CompletionStage<List<Object>> apply(ScriptRunner keeper) {
            ScriptRunner runner = keeper.claims();
            server = runner.identity();
            boolean queue = claim.queue() && servers.isSubscribed();
            HolderTexts.Written holder = holders.of(claim.holder());
            String entry = queue ? Wire.entry(claim, inbox.channel(), server.countsReceivers(), holder.text()) : "";
            String former = queue ? inbox.expect(claim, entry) : "";
            // Measure from before the send. The server starts the lease later than this, so we can only underestimate.
            sent = environment.nanoTime();
            String[] arguments = new String[released != null || !former.isEmpty() ? 8 : queue ? 7 : 6];
            arguments[0] = context.at(server);
            arguments[1] = claim.owner().toString();
            arguments[2] = Long.toString(claim.lease().toMillis());
            arguments[3] = Integer.toString(claim.tokens());
            arguments[4] = claim.shared() ? Wire.tailOfReader(holder.text()) : holder.tail();
            arguments[5] = Long.toString(clocks.of(server.runId()).notAfterMicros(server.runId(), sent, timeout));
            if (arguments.length > 6) {
                arguments[6] = entry;
            }
            if (arguments.length > 7) {
                arguments[7] = released == null ? former : released.toString();
            }
            return runner.eval(
                    released == null ? Steps.of(claim.key()).acquire : Script.RECLAIM,
                    keys.ofClaim(claim.key(), claim.slots()),
                    arguments);
        }
    }

    private void failed(Claim claim, @Nullable Owner released, Throwable failure, CompletableFuture<Answer> answer) {
        Throwable why = Failures.unwrap(failure);
        if (why instanceof NotSentException || why instanceof RefusedException) {
            inbox.refused(claim.owner());
        }
        // What was not confirmed was granted, so the tenure before it had ended.
        boolean ended = released != null && why instanceof NotConfirmedException;
        answer.completeExceptionally(ended ? new ReleasedButClaimFailedException(why) : why);
    }

    private void read(Attempt attempt, List<Object> reply, int attempts, CompletableFuture<Answer> answer) {
        Claim claim = attempt.claim;
        Replies.Claimed claimed = Replies.Claimed.of(reply);
        String runId = attempt.server.runId();
        clocks.of(runId).sample(runId, attempt.sent, environment.nanoTime(), claimed.nowMicros());
        if (claimed instanceof Replies.Claimed.Granted granted) {
            answer.complete(granted(claim, granted, attempt.sent));
        } else if (claimed instanceof Replies.Claimed.Busy busy) {
            answer.complete(busy(claim, busy));
        } else {
            late(
                    claim,
                    (Replies.Claimed.Late) claimed,
                    attempts,
                    attempt.released == null ? answer : afterRelease(answer));
        }
    }

    private Answer granted(Claim claim, Replies.Claimed.Granted granted, long sent) {
        if (inbox.granted(claim.owner(), granted.kept())) {
            servers.replaceInbox();
        }
        handedOver(claim.key(), granted.handedOver());
        long validUntil = Validity.until(sent, claim.lease());
        int tokens = granted.tokens() == 0 ? claim.tokens() : granted.tokens();
        return new Answer.Granted(grant(granted, tokens, validUntil));
    }

    private static Grant grant(Replies.Claimed.Granted granted, int tokens, long validUntil) {
        Grant grant = Grant.full(granted.lastToken(), tokens, validUntil);
        return granted.slot() == 0 ? grant : grant.ofSlot(granted.slot());
    }

    private void handedOver(String key, Replies.HandedOn handedOver) {
        if (handedOver.slots().isEmpty()) {
            handOvers.handedOver(key, handedOver.millis());
        }
        for (int slot : handedOver.slots()) {
            handOvers.handedOver(Watched.text(key, slot), handedOver.millis());
        }
    }

    private Answer busy(Claim claim, Replies.Claimed.Busy busy) {
        long place = busy.place();
        if (place > 0 && inbox.queued(claim.owner(), busy.kept())) {
            // It had a place, and has lost it without a word: what is pushed does not reach us.
            servers.replaceInbox();
        }
        handedOver(claim.key(), busy.handedOver());
        if (place > 0) {
            queuedClaims.somebodyWaits();
        }
        boolean queued = place > 0 || inbox.hasPlace(claim.owner());
        return new Answer.Busy(retryAfter(claim, busy.remainingMillis(), place), queued, busy.holder());
    }

    private Duration retryAfter(Claim claim, long remainingMillis, long place) {
        if (place == 0) {
            return Duration.ofMillis(claim.queue() ? Math.min(POLL_MILLIS, remainingMillis + 1) : remainingMillis + 1);
        }
        long behind = place == 1 ? 0 : BEHIND_MILLIS + environment.random().nextInt(0, 4 * BEHIND_MILLIS);
        return Duration.ofMillis(remainingMillis + 1 + behind);
    }

    /** Carried out after we would have stopped waiting, so it was refused: proof of nothing granted. Time is sampled. */
    private void late(Claim claim, Replies.Claimed.Late late, int attempts, CompletableFuture<Answer> answer) {
        handOvers.handedOver(claim.key(), late.handedOverMillis());
        if (attempts > 1) {
            send(claim, null, attempts - 1, answer);
            return;
        }
        inbox.refused(claim.owner());
        answer.completeExceptionally(new NotSentException(
                "Redis at " + servers.address() + " carries our requests out later than the command timeout of "
                        + timeout.toMillis() + " ms after we sent them: it is overloaded, or a clock is being set",
                null));
    }

    /** The tenure was ended, too late to claim the next one in the same step. What becomes of the claim says nothing about that. */
    private static CompletableFuture<Answer> afterRelease(CompletableFuture<Answer> answer) {
        CompletableFuture<Answer> claimed = new CompletableFuture<>();
        var unused = claimed.whenComplete((said, failure) -> {
            if (failure == null) {
                answer.complete(said);
            } else {
                answer.completeExceptionally(new ReleasedButClaimFailedException(failure));
            }
        });
        return claimed;
    }
}
