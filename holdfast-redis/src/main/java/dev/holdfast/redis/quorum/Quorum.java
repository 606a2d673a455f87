package dev.holdfast.redis.quorum;

import dev.holdfast.redis.node.HandOverWatch;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** The requests of a quorum client, each to one node. */
final class Quorum {
    final Members members;
    final Environment environment;
    final Keys keys;
    final Duration timeout;
    final Duration window;
    final Duration maxLease;
    final Places places;
    final MaxLeaseRecord maxLeaseRecord;
    final AdmissionRequests admission;
    private final List<HandOverWatch> handOvers = new ArrayList<>();
    private final Withdrawals withdrawals;
    private final String windowMillis;
    private final AtomicLong rounds = new AtomicLong();
    private final AtomicLong attempts = new AtomicLong();

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
        this.maxLeaseRecord = new MaxLeaseRecord(members, environment, keys, maxLease);
        this.admission = new AdmissionRequests(members, environment, keys, maxLease);
        this.windowMillis = Long.toString(window.toMillis());
        this.withdrawals = new Withdrawals(environment, timeout);
        for (Member member : members.all) {
            handOvers.add(new HandOverWatch(environment, window, name -> lookAfterReservation(member, name)));
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

    /** Lock, queue, fence and the admission record: the slots of a semaphore share a queue. */
    String[] keysOf(String name) {
        String[] all = keys.ofQuorum(name);
        String key = SlotNames.keyOf(name);
        if (!key.equals(name)) {
            all[1] = keys.queue(key);
        }
        return all;
    }

    /** The admission record, the queue and the slots of a semaphore. */
    private String[] keysOfSlots(String key, int slots) {
        String[] all = new String[2 + slots];
        all[0] = keys.admission();
        all[1] = keys.queue(key);
        for (int slot = 0; slot < slots; slot++) {
            all[2 + slot] = keys.lock(SlotNames.of(key, slot));
        }
        return all;
    }

    // ---- rounds

    /** What is the same for every node in one round, written once. */
    static final class Ask {
        final Claim claim;
        final String name;
        private final String[] keys;
        private final String owner;
        private final String round;
        private final String lease;
        private final String tokens;

        private Ask(Claim claim, String name, String[] keys, long round) {
            this.claim = claim;
            this.name = name;
            this.keys = keys;
            this.owner = claim.owner().toString();
            this.round = Long.toString(round);
            this.lease = Long.toString(claim.lease().toMillis());
            this.tokens = Integer.toString(claim.tokens());
        }
    }

    /** @param name of the lock, or of the slot, that it asks for */
    Ask ask(Claim claim, String name, long round) {
        return new Ask(claim, name, keysOf(name), round);
    }

    /**
     * A refusal as too late, or as too long, is final for this round. Sent again, the request could overtake the undo or the
     * release that followed the first one, and leave a vote that nobody knows of.
     */
    CompletionStage<QuorumReplies.Vote> acquire(Member member, Ask ask, long proposal, boolean queue) {
        if (!member.whyNotAsked().isEmpty()) {
            return CompletableFuture.failedStage(new NotSentException(member.whyNotAsked(), null));
        }
        String entry = expect(ask.claim, member, queue);
        return member.call(
                        Script.QUORUM_ACQUIRE,
                        ask.keys,
                        "",
                        ask.owner,
                        ask.round,
                        ask.lease,
                        ask.tokens,
                        places.tail(ask.claim.holder()),
                        member.notAfter(environment.nanoTime()),
                        Long.toString(proposal),
                        entry)
                .thenApply(reply -> {
                    int code = QuorumReplies.code(reply);
                    if (code == QuorumReplies.TOO_LONG) {
                        // Not to this node alone: a majority has to know before the next lease is asked for.
                        maxLeaseRecord.announceAgain();
                        throw tooLong(member);
                    }
                    if (code == QuorumReplies.LATE) {
                        throw tooLate(member);
                    }
                    return QuorumReplies.Vote.of(reply);
                });
    }

    /** The entry to queue with; empty if it is not to queue, or could not be told its turn there. */
    private String expect(Claim claim, Member member, boolean queue) {
        String channel = queue && member.node.isSubscribed() ? member.channel() : "";
        return channel.isEmpty() ? "" : places.expect(claim, member, channel);
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

    CompletionStage<Boolean> raise(Member member, Ask ask, long answered, long token) {
        return member.call(
                        Script.QUORUM_RAISE,
                        ask.keys,
                        "",
                        ask.owner,
                        ask.round,
                        Long.toString(answered),
                        Long.toString(token))
                .thenApply(QuorumReplies::stands);
    }

    /** @param queue whether to stand in line there in the same step */
    CompletionStage<QuorumReplies.Undone> undo(Member member, Ask ask, boolean underway, boolean queue) {
        String entry = expect(ask.claim, member, queue);
        CompletableFuture<Boolean> first = new CompletableFuture<>();
        return withdrawals.start(
                member,
                ask.claim.lease(),
                underway,
                () -> member.call(
                                Script.QUORUM_UNDO,
                                ask.keys,
                                "",
                                ask.owner,
                                ask.round,
                                ask.lease,
                                // Only the first time: a repetition comes when nobody may be waiting any more.
                                first.complete(true) ? entry : "",
                                member.notAfter(environment.nanoTime()),
                                windowMillis)
                        .thenApply(reply -> {
                            QuorumReplies.Undone undone = QuorumReplies.Undone.of(reply);
                            reserved(member, ask.name, undone.reservedMillis());
                            return undone;
                        }));
    }

    // ---- semaphores

    /** Which slot the claim is to ask for, by what this node knows; it stands in line there if there is none, and it waits. */
    CompletionStage<QuorumReplies.Suggestion> suggest(Member home, Claim claim) {
        String entry = expect(claim, home, claim.queue());
        return home.call(
                        Script.QUORUM_SUGGEST,
                        keysOfSlots(claim.key(), claim.slots()),
                        "",
                        claim.owner().toString(),
                        Long.toString(claim.lease().toMillis()),
                        windowMillis,
                        home.notAfter(environment.nanoTime()),
                        places.tail(claim.holder()),
                        entry)
                .thenApply(reply -> {
                    if (QuorumReplies.code(reply) == QuorumReplies.LATE) {
                        throw tooLate(home);
                    }
                    QuorumReplies.Suggestion suggestion = QuorumReplies.Suggestion.of(reply);
                    reserved(home, claim.key(), suggestion.served());
                    return suggestion;
                });
    }

    private void reserved(Member member, String key, QuorumReplies.Served served) {
        served.slots().forEach(slot -> reserved(member, SlotNames.of(key, slot), served.millis()));
    }

    private CompletionStage<QuorumReplies.Ended> withdrawSlots(Member member, String key, Owner owner, int slots) {
        String[] ofSlots = keysOfSlots(key, slots);
        return withdrawals.start(
                member,
                maxLease,
                true,
                () -> member.call(Script.QUORUM_WITHDRAW_SLOTS, ofSlots, "", owner.toString(), windowMillis)
                        .thenApply(reply -> {
                            QuorumReplies.Served served = QuorumReplies.Served.of(reply, 2);
                            reserved(member, key, served);
                            return new QuorumReplies.Ended(true, served.millis());
                        }));
    }

    // ---- the end of a tenure or of a claim

    /** @param keys those of the name, the same for every node */
    CompletionStage<QuorumReplies.Ended> release(
            Member member, String[] keys, String name, String owner, Duration lease) {
        return end(Script.QUORUM_RELEASE, member, keys, name, owner, lease, false);
    }

    /** @param slots of a semaphore, those that the claim may have are below this number */
    CompletionStage<QuorumReplies.Ended> withdraw(Member member, String key, Owner owner, int slots) {
        return SlotNames.isSemaphore(key)
                ? withdrawSlots(member, key, owner, slots)
                : end(Script.QUORUM_WITHDRAW, member, keysOf(key), key, owner.toString(), maxLease, true);
    }

    /**
     * Gives a place and a reservation up, and never a vote: right for an owner that is still in use, and for one that is
     * not ours. Late or repeated, it costs a claim its place in line and nothing else.
     *
     * @param name of a semaphore, that of the slot that may be reserved for it
     * @param underway whether a request that asks for the place may still arrive
     */
    CompletionStage<QuorumReplies.Ended> leaveQueue(Member member, String name, Owner owner, boolean underway) {
        String[] ofName = keysOf(name);
        return withdrawals.start(
                member,
                window,
                underway,
                () -> member.call(Script.QUORUM_WITHDRAW, ofName, "", owner.toString(), windowMillis, "place")
                        .thenApply(reply -> ended(member, name, reply)));
    }

    /**
     * Leaves the vote where it is until then, and lets it go after that. Repeated while the lease lasts: until the node knows, it
     * keeps the vote for another time.
     *
     * @return whether it keeps our vote, or had it until now
     */
    CompletionStage<Boolean> releaseLater(
            Member member, String[] keys, Holding holding, String round, long untilNanos) {
        String owner = holding.owner().toString();
        return withdrawals.start(member, holding.lease(), false, () -> {
            long left = untilNanos - environment.nanoTime();
            return left > 0
                    ? keep(member, keys, holding, round, Wire.millisRoundedUp(Duration.ofNanos(left)))
                    : member.call(Script.QUORUM_RELEASE, keys, "", owner, windowMillis)
                            .thenApply(reply ->
                                    ended(member, nameOf(holding), reply).wasOurs());
        });
    }

    private CompletionStage<Boolean> keep(Member member, String[] keys, Holding holding, String round, long millis) {
        return member.call(
                        Script.QUORUM_RELEASE_LATER,
                        keys,
                        "",
                        holding.owner().toString(),
                        Long.toString(holding.lastToken()),
                        round,
                        Long.toString(millis))
                .thenApply(reply -> {
                    if (QuorumReplies.code(reply) == QuorumReplies.TOO_LONG) {
                        // A majority knows already, and this node will the next time.
                        var unused = maxLeaseRecord.raise(member, maxLeaseRecord.longestWith(millis));
                        throw tooLong(member);
                    }
                    QuorumReplies.Kept kept = QuorumReplies.Kept.of(reply);
                    if (kept.isWaitedFor()) {
                        handOvers.get(member.index).freeAfter(nameOf(holding), millis);
                    }
                    return kept.wasOurs();
                });
    }

    static String nameOf(Holding holding) {
        return SlotNames.of(holding.key(), holding.slot());
    }

    private CompletionStage<QuorumReplies.Ended> end(
            Script script, Member member, String[] keys, String name, String owner, Duration lease, boolean underway) {
        return withdrawals.start(
                member,
                lease,
                underway,
                () -> member.call(script, keys, "", owner, windowMillis)
                        .thenApply(reply -> ended(member, name, reply)));
    }

    CompletionStage<QuorumReplies.Broken> breakVote(Member member, String name, Owner owner) {
        return member.call(Script.QUORUM_BREAK, keysOf(name), "", owner.toString(), windowMillis)
                .thenApply(reply -> {
                    QuorumReplies.Broken broken = QuorumReplies.Broken.of(reply);
                    reserved(member, name, broken.reservedMillis());
                    return broken;
                });
    }

    private QuorumReplies.Ended ended(Member member, String name, List<Object> reply) {
        QuorumReplies.Ended ended = QuorumReplies.Ended.of(reply);
        reserved(member, name, ended.reservedMillis());
        return ended;
    }

    /** Whoever reserved a node for a waiter looks whether that waiter came. */
    private void reserved(Member member, String name, long millis) {
        if (millis > 0) {
            members.noteBusy(Keys.bucket(name));
            handOvers.get(member.index).handedOver(name, millis);
        }
    }

    /** The lock is absent at this node, and nobody holds it: whoever is first in line there is told. */
    void handOver(Member member, String name) {
        lookAfterReservation(member, name)
                .thenAccept(millis -> handOvers.get(member.index).handedOver(name, millis));
    }

    private CompletionStage<Long> lookAfterReservation(Member member, String name) {
        return member.call(Script.QUORUM_HANDOVER, keysOf(name), "", windowMillis)
                .thenApply(reply -> QuorumReplies.Ended.of(reply).reservedMillis());
    }

    // ---- the node itself

    /** Whether the node votes, and what its clock shows. Fails if it does not. */
    CompletionStage<?> look(Member member) {
        return look(member, List.of(), List.of());
    }

    /**
     * Whether the node votes, and who has these locks there; what {@code quorum/look.lua} says.
     *
     * @param here the claims that stand in line at this node
     */
    CompletionStage<QuorumReplies.Looked> look(Member member, List<String> names, List<Places.Place> here) {
        String[] lookedAt = new String[1 + names.size() + here.size()];
        lookedAt[0] = keys.admission();
        for (int i = 0; i < names.size(); i++) {
            lookedAt[1 + i] = keys.lock(names.get(i));
        }
        String[] arguments = new String[1 + here.size()];
        arguments[0] = "";
        for (int i = 0; i < here.size(); i++) {
            lookedAt[1 + names.size() + i] = keys.queue(here.get(i).key());
            arguments[1 + i] = here.get(i).entry();
        }
        return member.call(Script.QUORUM_LOOK, lookedAt, arguments)
                .thenApply(reply -> QuorumReplies.Looked.of(reply, names.size()));
    }

    /** The node can be reached again: what is to be taken back there is taken back now. */
    void reconnected(Member member) {
        withdrawals.retryNow(member);
    }

    void close() {
        withdrawals.close();
        handOvers.forEach(HandOverWatch::close);
    }

    /** For whoever asks again. */
    CompletionStage<Void> afterAPause(Duration pause) {
        CompletableFuture<Void> rested = new CompletableFuture<>();
        environment.schedule(pause.toNanos(), () -> rested.complete(null));
        return rested;
    }
}
