package dev.holdfast.redis.quorum;

import dev.holdfast.Holder;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.spi.Claim;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One round: asks all nodes at once, decides as soon as that is possible, and undoes everything as soon as it is not. A
 * node that hangs costs nothing.
 */
final class Round {
    /** Somebody was in the way at one node. Token zero: a reservation, which is nobody's vote. */
    record Sighting(
            int node,
            String owner,
            long token,
            long remainingMillis,
            @Nullable Holder holder) {}

    /** How it ended. */
    sealed interface Outcome {
        record Won(long token, int tokens, int votes, long round) implements Outcome {}

        /**
         * Nothing is held; everything is being undone.
         *
         * @param byHome whether the home alone was asked
         * @param queued whether the claim has a place in line now
         * @param places by index, the nodes where it may have one, or get one by a request that is under way
         */
        record Lost(
                List<Sighting> sightings,
                List<Throwable> failures,
                boolean byHome,
                boolean queued,
                BitSet places,
                long elapsedNanos)
                implements Outcome {
            boolean mayBeQueued() {
                return !places.isEmpty();
            }
        }
    }

    private static final long SHORTEST_PATIENCE_NANOS = 1_000_000;

    private final Quorum quorum;
    private final Claim claim;
    private final long number;
    private final int bucket;
    private final Quorum.Ask question;
    /** The clock starts before the first request is sent. We may only underestimate what is left. */
    final long sentNanos;

    final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    // Guards everything below. Decided under it, acted on after it is free.
    private final ReentrantLock lock = new ReentrantLock();
    private final RoundAnswers answers;

    private boolean impatient;
    private boolean patienceOver;
    private boolean decided;
    private boolean asking;
    private boolean concluding;
    private boolean heardEnough;
    private long token;

    /** @param name of the lock, or of the slot, that is asked for */
    Round(Quorum quorum, Claim claim, String name) {
        this.quorum = quorum;
        this.claim = claim;
        this.number = quorum.nextRound();
        this.bucket = Keys.bucket(name);
        this.question = quorum.ask(claim, name, number);
        this.sentNanos = quorum.environment.nanoTime();
        this.answers = new RoundAnswers(quorum.members, bucket);
    }

    CompletionStage<Outcome> everywhere(@Nullable Member home) {
        long proposal = quorum.members.proposal(bucket, claim.tokens());
        askAllBut(null, proposal, home);
        return outcome;
    }

    /** Asks the home; only if that grants, all others. Otherwise the answer is the home's alone. */
    CompletionStage<Outcome> homeFirst(Member home) {
        long proposal = quorum.members.proposal(bucket, claim.tokens());
        answers.suspects[home.index] = true;
        answers.places[home.index] = true;
        quorum.acquire(home, question, proposal, true).whenComplete((vote, failure) -> {
            locked(() -> {
                answers.note(home, vote, failure);
                decided = vote instanceof QuorumReplies.Vote.Taken;
            });
            if (vote instanceof QuorumReplies.Vote.Taken) {
                outcome.complete(lost(true));
                return;
            }
            long agreed = vote instanceof QuorumReplies.Vote.Granted granted ? granted.value() : proposal;
            askAllBut(home, agreed, null);
        });
        return outcome;
    }

    /** Nothing is decided before all are asked: an undo or a release that came before its claim would leave a vote. */
    private void askAllBut(@Nullable Member asked, long proposal, @Nullable Member home) {
        quorum.noteAttempt();
        List<Member> rest =
                quorum.members.all.stream().filter(member -> member != asked).toList();
        locked(() -> {
            asking = true;
            if (home != null) {
                answers.places[home.index] = true;
            }
            rest.forEach(member -> answers.suspects[member.index] = true);
        });
        for (Member member : rest) {
            quorum.acquire(member, question, proposal, member == home)
                    .whenComplete((vote, failure) -> heard(member, vote, failure));
        }
        act(() -> asking = false, null);
    }

    private void heard(Member member, QuorumReplies.@Nullable Vote vote, @Nullable Throwable failure) {
        act(() -> answers.note(member, vote, failure), member);
    }

    // ---- decisions

    private void act(Runnable news, @Nullable Member from) {
        Ballot.Decision decision;
        boolean late;
        lock.lock();
        try {
            late = decided;
            news.run();
            decision = late || asking ? new Ballot.Decision.Wait(false) : answers.ballot.decide(patienceOver);
            if (decision instanceof Ballot.Decision.Won won) {
                decided = true;
                token = won.token();
            } else if (decision instanceof Ballot.Decision.Lost) {
                decided = true;
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            adopt(from);
            leaveQueue(from);
            conclude(() -> {});
            return;
        }
        if (decision instanceof Ballot.Decision.Won won) {
            outcome.complete(new Outcome.Won(won.token(), claim.tokens(), won.votes(), number));
            quorum.members.all.forEach(this::adopt);
            quorum.members.all.forEach(this::leaveQueue);
        } else if (decision instanceof Ballot.Decision.Raise raise) {
            raise.nodes().forEach(node -> raise(quorum.members.all.get(node), raise.token()));
        } else if (decision instanceof Ballot.Decision.Lost) {
            lose();
        } else if (((Ballot.Decision.Wait) decision).disagreement()) {
            losePatience();
        }
    }

    /** Nodes disagree, and those that have not answered may settle it: they get as long again as the others took. */
    private void losePatience() {
        lock.lock();
        try {
            if (impatient) {
                return;
            }
            impatient = true;
        } finally {
            lock.unlock();
        }
        long elapsed = quorum.environment.nanoTime() - sentNanos;
        quorum.environment.schedule(
                Math.min(elapsed, quorum.timeout.toNanos()), () -> act(() -> patienceOver = true, null));
    }

    private void raise(Member member, long to) {
        long answered = ballotValue(member);
        quorum.raise(member, question, answered, to).whenComplete((raised, failure) -> {
            boolean stands = failure == null && raised;
            act(
                    () -> {
                        if (failure != null) {
                            answers.failures.add(Member.unwrap(failure));
                        }
                        answers.ballot.raised(member.index, stands);
                    },
                    null);
        });
    }

    private long ballotValue(Member member) {
        lock.lock();
        try {
            return answers.ballot.valueOf(member.index);
        } finally {
            lock.unlock();
        }
    }

    // ---- after a victory

    /** A node that granted another value helps to renew only if it stands for the token, too. Nobody waits for that. */
    private void adopt(@Nullable Member member) {
        if (member == null || token == 0) {
            return;
        }
        long value = ballotValue(member);
        if (value != 0 && value < token) {
            var unused = quorum.raise(member, question, value, token);
        }
    }

    /** The home was busy and has queued us, but the others were enough: a claim that has the lock must not be told its turn. */
    private void leaveQueue(@Nullable Member member) {
        if (member == null || token == 0) {
            return;
        }
        boolean stands;
        lock.lock();
        try {
            stands = answers.queued && answers.places[member.index];
            answers.places[member.index] &= !stands;
        } finally {
            lock.unlock();
        }
        if (stands) {
            var unused = quorum.leaveQueue(member, question.name, claim.owner(), false);
        }
    }

    // ---- after a defeat

    private void lose() {
        Member place = placeToAskFor();
        CompletionStage<QuorumReplies.Undone> queueing = null;
        for (Member member : quorum.members.all) {
            boolean suspect;
            boolean underway;
            lock.lock();
            try {
                suspect = answers.suspects[member.index];
                underway = answers.ballot.valueOf(member.index) == 0;
            } finally {
                lock.unlock();
            }
            if (member == place) {
                queueing = quorum.undo(member, question, underway, true);
            } else if (suspect) {
                quorum.undo(member, question, underway, false);
            }
        }
        if (place == null || queueing == null) {
            conclude();
            return;
        }
        queueing.whenComplete((undone, failure) -> {
            locked(() -> {
                answers.queued |= failure == null && undone.place() > 0;
                // Without a place there may be a reservation, and without an answer either.
                answers.places[place.index] = failure == null || !Member.isProof(Member.unwrap(failure));
            });
            conclude();
        });
    }

    /** Where to stand in line; null if it does stand in line, or will not wait. */
    private @Nullable Member placeToAskFor() {
        Member home = claim.queue() ? quorum.members.home(claim.key()).orElse(null) : null;
        lock.lock();
        try {
            if (home == null || answers.queued) {
                return null;
            }
            answers.places[home.index] = true;
            return home;
        } finally {
            lock.unlock();
        }
    }

    /**
     * It may be lost with the first answer, if others are down; who holds the lock only the rest can tell. They get as long
     * again as it took so far.
     */
    private void conclude() {
        conclude(() -> concluding = true);
        if (!outcome.isDone()) {
            long elapsed = Math.max(SHORTEST_PATIENCE_NANOS, quorum.environment.nanoTime() - sentNanos);
            quorum.environment.schedule(
                    Math.min(elapsed, quorum.timeout.toNanos()), () -> conclude(() -> heardEnough = true));
        }
    }

    private void conclude(Runnable news) {
        boolean over;
        lock.lock();
        try {
            news.run();
            over = concluding && answers.areEnough(heardEnough);
        } finally {
            lock.unlock();
        }
        if (over) {
            outcome.complete(lost(false));
        }
    }

    private void locked(Runnable step) {
        lock.lock();
        try {
            step.run();
        } finally {
            lock.unlock();
        }
    }

    private Outcome lost(boolean byHome) {
        lock.lock();
        try {
            return answers.lost(byHome, quorum.environment.nanoTime() - sentNanos);
        } finally {
            lock.unlock();
        }
    }
}
