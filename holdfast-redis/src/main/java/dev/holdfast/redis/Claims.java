package dev.holdfast.redis;

import dev.holdfast.Holder;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Sends claims to one server and reads the answers. */
final class Claims {
    /** A server that carries requests out so late three times in a row is not going to be in time the fourth time. */
    private static final int MOST_ATTEMPTS = 3;
    /** How often to ask where nobody can tell us: the inbox is being restored. */
    private static final long POLL_MILLIS = 500;
    /** A waiter behind others comes a little after them: it is their turn. */
    private static final int BEHIND_MILLIS = 100;

    private record HolderText(Holder holder, String text) {}

    private final RedisNode node;
    private final Keys keys;
    private final Context passing;
    private final Context queueing;
    private final Duration timeout;
    private final Environment environment;
    private final ServerClock clock;
    private final Inbox inbox;
    private final Watches watches;
    private volatile @Nullable HolderText lastHolder;

    Claims(
            RedisNode node,
            Keys keys,
            Context passing,
            Duration timeout,
            Environment environment,
            ServerClock clock,
            Inbox inbox,
            Watches watches) {
        this.node = node;
        this.keys = keys;
        this.passing = passing;
        this.queueing = passing.withInbox(inbox.channel());
        this.timeout = timeout;
        this.environment = environment;
        this.clock = clock;
        this.inbox = inbox;
        this.watches = watches;
    }

    /** @param released a tenure to end in the same step, before the claim */
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
        RedisNode.Identity server = node.identity();
        RefusedException refusal = claim.queue() ? inbox.refusal() : null;
        if (refusal != null) {
            answer.completeExceptionally(refusal);
            return;
        }
        boolean queue = claim.queue() && node.isSubscribed();
        if (queue) {
            inbox.expect(claim, server.countsReceivers());
        }
        // Measure from before the send. The server starts the lease later than this, so we can only underestimate.
        long sent = environment.nanoTime();
        String[] arguments = new String[released == null ? 6 : 7];
        arguments[0] = (queue ? queueing : passing).at(server);
        arguments[1] = claim.owner().toString();
        arguments[2] = Long.toString(claim.lease().toMillis());
        arguments[3] = Integer.toString(claim.tokens());
        arguments[4] = holderText(claim.holder());
        arguments[5] = Long.toString(clock.notAfterMicros(server.runId(), sent, timeout));
        if (released != null) {
            arguments[6] = released.toString();
        }
        node.eval(released == null ? Script.ACQUIRE : Script.RECLAIM, keys.of(claim.name()), arguments)
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        if (failure instanceof NotSentException || failure instanceof RefusedException) {
                            inbox.refused(claim.owner());
                        }
                        answer.completeExceptionally(failure);
                        return;
                    }
                    clock.sample(server.runId(), sent, environment.nanoTime(), number(reply, 1));
                    switch ((int) number(reply, 0)) {
                        case 1 -> answer.complete(granted(claim, reply, sent));
                        case 0 -> answer.complete(busy(claim, reply));
                        default -> late(claim, reply, attempts, answer);
                    }
                });
    }

    /** As a rule every claim of a process names the same holder. */
    private String holderText(Holder holder) {
        HolderText known = lastHolder;
        if (known == null || !known.holder.equals(holder)) {
            known = new HolderText(holder, Wire.holder(holder));
            lastHolder = known;
        }
        return known.text;
    }

    private Answer granted(Claim claim, List<Object> reply, long sent) {
        if (inbox.granted(claim.owner(), number(reply, 4) == 1)) {
            node.replaceInbox();
        }
        long validUntil = Validity.until(sent, claim.lease());
        int tokens = reply.size() > 3 ? (int) number(reply, 3) : claim.tokens();
        return new Answer.Granted(Grant.full(number(reply, 2), tokens, validUntil));
    }

    private Answer busy(Claim claim, List<Object> reply) {
        long place = number(reply, 3);
        if (place > 0 && inbox.queued(claim.owner(), number(reply, 4) == 1)) {
            // It had a place, and has lost it without a word: what is pushed does not reach us.
            node.replaceInbox();
        }
        watches.lent(claim.name(), number(reply, 5));
        boolean queued = place > 0 || inbox.hasPlace(claim.owner());
        return new Answer.Busy(retryAfter(claim, number(reply, 2), place), queued, Wire.parseHolder(text(reply, 6)));
    }

    private Duration retryAfter(Claim claim, long remainingMillis, long place) {
        if (place == 0) {
            return Duration.ofMillis(claim.queue() ? Math.min(POLL_MILLIS, remainingMillis + 1) : remainingMillis + 1);
        }
        long behind = place == 1 ? 0 : BEHIND_MILLIS + environment.random().nextInt(0, 4 * BEHIND_MILLIS);
        return Duration.ofMillis(remainingMillis + 1 + behind);
    }

    /** Carried out after we would have stopped waiting, so it was refused: proof of nothing granted. Time is sampled. */
    private void late(Claim claim, List<Object> reply, int attempts, CompletableFuture<Answer> answer) {
        watches.lent(claim.name(), number(reply, 2));
        if (attempts > 1) {
            send(claim, null, attempts - 1, answer);
            return;
        }
        inbox.refused(claim.owner());
        answer.completeExceptionally(new NotSentException(
                "Redis at " + node.address() + " carries our requests out later than the command timeout of "
                        + timeout.toMillis() + " ms after we sent them: it is overloaded, or a clock is being set",
                null));
    }

    /** What a reply leaves out at its end is zero. */
    static long number(List<Object> reply, int index) {
        return index < reply.size() ? (Long) reply.get(index) : 0;
    }

    static String text(List<Object> reply, int index) {
        return String.valueOf(reply.get(index));
    }
}
