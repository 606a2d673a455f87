package dev.holdfast.redis;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The requests of a quorum client, each to one node. */
final class Quorum {
    final Members members;
    final Environment environment;
    final Keys keys;
    final Duration timeout;
    final Duration window;
    final Duration maxLease;
    final Places places;
    private final List<Watches> watches = new ArrayList<>();
    private final Leftovers leftovers;
    private final String windowMillis;
    private final AtomicLong rounds = new AtomicLong();
    private final AtomicLong attempts = new AtomicLong();
    private volatile @Nullable CompletableFuture<Boolean> announced;

    Quorum(
            Members members,
            Environment environment,
            Keys keys,
            Duration timeout,
            Duration window,
            Duration maxLease,
            Places places) {
        this.members = members;
        this.environment = environment;
        this.keys = keys;
        this.timeout = timeout;
        this.window = window;
        this.maxLease = maxLease;
        this.places = places;
        this.windowMillis = Long.toString(window.toMillis());
        this.leftovers = new Leftovers(environment, timeout);
        for (Member member : members.all) {
            watches.add(new Watches(environment, window, name -> lookAfterReservation(member, name)));
        }
    }

    /** Rounds of one owner are told apart by number: a late undo must not kill the next round. */
    long nextRound() {
        return rounds.incrementAndGet();
    }

    /** All nodes are being asked for a claim. */
    void noteAttempt() {
        attempts.incrementAndGet();
    }

    long attempts() {
        return attempts.get();
    }

    // ---- rounds

    /** What is the same for every node in one round, written once. */
    static final class Ask {
        private final Claim claim;
        private final String[] keys;
        private final String owner;
        private final String round;
        private final String lease;
        private final String tokens;

        private Ask(Claim claim, String[] keys, long round) {
            this.claim = claim;
            this.keys = keys;
            this.owner = claim.owner().toString();
            this.round = Long.toString(round);
            this.lease = Long.toString(claim.lease().toMillis());
            this.tokens = Integer.toString(claim.tokens());
        }
    }

    Ask ask(Claim claim, long round) {
        return new Ask(claim, keys.ofQuorum(claim.name()), round);
    }

    /**
     * A refusal as too late, or as too long, is final for this round. Sent again, the request could overtake the undo or the
     * release that followed the first one, and leave a vote that nobody knows of.
     */
    CompletionStage<List<Object>> acquire(Member member, Ask ask, long proposal, boolean queue) {
        if (!member.sitsOut().isEmpty()) {
            return CompletableFuture.failedStage(new NotSentException(member.sitsOut(), null));
        }
        boolean queueing = queue && member.node.isSubscribed();
        if (queueing) {
            places.expect(ask.claim, member);
        }
        return member.call(
                        Script.QUORUM_ACQUIRE,
                        ask.keys,
                        "",
                        ask.owner,
                        ask.round,
                        ask.lease,
                        ask.tokens,
                        places.holderText(ask.claim.holder()),
                        member.notAfter(environment.nanoTime()),
                        Long.toString(proposal),
                        queueing ? places.channel() : "")
                .thenApply(reply -> {
                    int code = (int) Member.number(reply, 0);
                    if (code == Member.TOO_LONG) {
                        // Not to this node alone: a majority has to know before the next lease is asked for.
                        announced = null;
                        throw tooLong(member);
                    }
                    if (code == Member.LATE) {
                        throw tooLate(member);
                    }
                    return reply;
                });
    }

    private static NotSentException tooLong(Member member) {
        return new NotSentException("Redis at " + member.address() + " does not know of leases that long yet", null);
    }

    private NotSentException tooLate(Member member) {
        return new NotSentException(
                "Redis at " + member.address() + " carries our requests out later than the node timeout of "
                        + timeout.toMillis() + " ms after we sent them: it is overloaded, or a clock is being set",
                null);
    }

    CompletionStage<List<Object>> raise(Member member, Claim claim, long round, long answered, long token) {
        return member.call(
                Script.QUORUM_RAISE,
                keys.ofQuorum(claim.name()),
                "",
                claim.owner().toString(),
                Long.toString(round),
                Long.toString(answered),
                Long.toString(token));
    }

    /** @param queue whether to stand in line there in the same step */
    CompletionStage<List<Object>> undo(Member member, Claim claim, long round, boolean underway, boolean queue) {
        boolean queueing = queue && member.node.isSubscribed();
        if (queueing) {
            places.expect(claim, member);
        }
        CompletableFuture<Boolean> first = new CompletableFuture<>();
        return leftovers.clear(
                claim.lease(),
                underway,
                () -> member.call(
                        Script.QUORUM_UNDO,
                        keys.ofQuorum(claim.name()),
                        "",
                        claim.owner().toString(),
                        Long.toString(round),
                        Long.toString(claim.lease().toMillis()),
                        places.holderText(claim.holder()),
                        // Only the first time: a repetition comes when nobody may be waiting any more.
                        queueing && first.complete(true) ? places.channel() : ""));
    }

    // ---- the end of a tenure or of a claim

    /** @param keys those of the name, the same for every node */
    CompletionStage<List<Object>> release(Member member, String[] keys, String name, String owner, Duration lease) {
        return end(Script.QUORUM_RELEASE, member, keys, name, owner, lease, false);
    }

    CompletionStage<List<Object>> withdraw(Member member, String name, Owner owner) {
        return end(Script.QUORUM_WITHDRAW, member, keys.ofQuorum(name), name, owner.toString(), maxLease, true);
    }

    private CompletionStage<List<Object>> end(
            Script script, Member member, String[] keys, String name, String owner, Duration lease, boolean underway) {
        return leftovers.clear(
                lease,
                underway,
                () -> member.call(script, keys, "", owner, windowMillis)
                        .thenApply(reply -> reserved(member, name, reply)));
    }

    CompletionStage<List<Object>> breakVote(Member member, String name, Owner owner) {
        return member.call(Script.QUORUM_BREAK, keys.ofQuorum(name), "", owner.toString(), windowMillis)
                .thenApply(reply -> reserved(member, name, reply));
    }

    /** Whoever reserved a node for a waiter looks whether that waiter came. */
    private List<Object> reserved(Member member, String name, List<Object> reply) {
        long lent = Member.number(reply, 2);
        if (lent > 0) {
            members.noteBusy(Keys.bucket(name));
            watches.get(member.index).lent(name, lent);
        }
        return reply;
    }

    private CompletionStage<Long> lookAfterReservation(Member member, String name) {
        return member.call(Script.QUORUM_HANDOVER, keys.ofQuorum(name), "", windowMillis)
                .thenApply(reply -> Member.number(reply, 2));
    }

    // ---- admission

    /** @param seen the nonce of what was seen before, or empty; and for how long that has certainly lasted by now */
    CompletionStage<List<Object>> observe(Member member, String seen, long observedMillis) {
        return member.callAnyway(
                Script.QUORUM_OBSERVE,
                new String[] {keys.admission()},
                "",
                Owner.random(environment.random()).toString(),
                Long.toString(maxLease.toMillis()),
                seen,
                Long.toString(observedMillis));
    }

    CompletionStage<List<Object>> ledger(Member member) {
        return member.callAnyway(Script.QUORUM_LEDGER, keys.ledger(), "");
    }

    CompletionStage<List<Object>> admit(
            Member member, String nonce, long maxLeaseMillis, long watchedMillis, List<Long> seeds) {
        String[] arguments = new String[4 + seeds.size()];
        arguments[0] = "";
        arguments[1] = nonce;
        arguments[2] = Long.toString(maxLeaseMillis);
        arguments[3] = Long.toString(watchedMillis);
        for (int i = 0; i < seeds.size(); i++) {
            arguments[4 + i] = seeds.get(i).toString();
        }
        return member.callAnyway(Script.QUORUM_ADMIT, keys.ledger(), arguments);
    }

    // ---- the node itself

    CompletionStage<List<Object>> look(Member member) {
        return member.call(Script.QUORUM_LOOK, new String[] {keys.admission()}, "");
    }

    CompletionStage<List<Object>> raiseMaxLease(Member member) {
        return member.call(
                Script.QUORUM_MAXLEASE, new String[] {keys.admission()}, "", Long.toString(maxLease.toMillis()));
    }

    /**
     * Before the first lease is asked for, a majority has to know how long leases may be: whoever readmits a node learns it
     * from a majority of the others, and must not let it vote before a lease of ours is over. Asked once, and again only
     * after a failure.
     */
    CompletionStage<Boolean> announceMaxLease() {
        CompletableFuture<Boolean> known = announced;
        if (known != null && !known.isCompletedExceptionally()) {
            return known;
        }
        CompletableFuture<Boolean> fresh = new CompletableFuture<>();
        long asked = environment.nanoTime();
        List<CompletableFuture<?>> answers = new ArrayList<>();
        Gather.all(
                        members,
                        member -> {
                            CompletionStage<List<Object>> answer = raiseMaxLease(member);
                            answers.add(answer.toCompletableFuture());
                            return answer;
                        },
                        gather -> gather.replies().size() >= members.majority ? Boolean.TRUE : null)
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        fresh.completeExceptionally(Member.unwrap(failure));
                        return;
                    }
                    // The answers also bring the time, without which a node gives no vote: the others get as long
                    // again.
                    var unused = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                            .whenComplete((all, some) -> fresh.complete(true));
                    environment.schedule(environment.nanoTime() - asked, () -> fresh.complete(true));
                });
        // Racy, and benign: two claims may both ask.
        announced = fresh;
        return fresh;
    }

    void close() {
        leftovers.close();
        watches.forEach(Watches::close);
    }
}
