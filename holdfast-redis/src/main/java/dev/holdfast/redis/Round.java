package dev.holdfast.redis;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import java.util.ArrayList;
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
         * @param queuedAt the node where the claim has a place now, or null
         */
        record Lost(
                List<Sighting> sightings,
                List<Throwable> failures,
                @Nullable Member queuedAt,
                long elapsedNanos) implements Outcome {}
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
    private final Ballot ballot;
    private final List<Sighting> sightings = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    /** Nodes that may hold a vote of ours, by index: not those that proved otherwise. */
    private final boolean[] suspects;

    private @Nullable Member queuedAt;
    private boolean impatient;
    private boolean patienceOver;
    private boolean decided;
    private boolean asking;
    private boolean concluding;
    private boolean heardEnough;
    private int answers;
    private long token;

    Round(Quorum quorum, Claim claim) {
        this.quorum = quorum;
        this.claim = claim;
        this.number = quorum.nextRound();
        this.bucket = Keys.bucket(claim.name());
        this.question = quorum.ask(claim, number);
        this.sentNanos = quorum.environment.nanoTime();
        this.ballot = new Ballot(quorum.members.size());
        this.suspects = new boolean[quorum.members.size()];
    }

    CompletionStage<Outcome> everywhere(@Nullable Member home) {
        long proposal = quorum.members.proposal(bucket, claim.tokens());
        askAllBut(null, proposal, home);
        return outcome;
    }

    /** Asks the home; only if that grants, all others. Otherwise the answer is the home's alone. */
    CompletionStage<Outcome> homeFirst(Member home) {
        long proposal = quorum.members.proposal(bucket, claim.tokens());
        suspects[home.index] = true;
        quorum.acquire(home, question, proposal, true).whenComplete((reply, failure) -> {
            if (failure == null && Member.number(reply, 0) == Member.BUSY) {
                locked(() -> {
                    note(home, reply, null);
                    decided = true;
                });
                outcome.complete(lost());
                return;
            }
            long agreed = failure == null ? Member.number(reply, 2) : proposal;
            locked(() -> note(home, reply, failure));
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
            rest.forEach(member -> suspects[member.index] = true);
        });
        for (Member member : rest) {
            quorum.acquire(member, question, proposal, member == home)
                    .whenComplete((reply, failure) -> heard(member, reply, failure));
        }
        act(() -> asking = false, null);
    }

    private void heard(Member member, @Nullable List<Object> reply, @Nullable Throwable failure) {
        act(() -> note(member, reply, failure), member);
    }

    private void note(Member member, @Nullable List<Object> reply, @Nullable Throwable failure) {
        answers++;
        if (reply == null || failure != null) {
            Throwable why = failure == null ? new IllegalStateException("no reply") : Member.unwrap(failure);
            suspects[member.index] = !Member.isProof(why);
            failures.add(why);
            ballot.no(member.index);
            return;
        }
        if (Member.number(reply, 0) == Member.GRANTED) {
            quorum.members.seen(bucket, Member.number(reply, 2));
            ballot.granted(member.index, Member.number(reply, 2));
            return;
        }
        suspects[member.index] = false;
        quorum.members.seen(bucket, Member.number(reply, 6));
        if (Member.number(reply, 3) > 0) {
            queuedAt = member;
        }
        sightings.add(new Sighting(
                member.index,
                Member.text(reply, 4),
                Member.number(reply, 5),
                Member.number(reply, 2),
                Wire.parseHolder(Member.text(reply, 7))));
        ballot.no(member.index);
    }

    // ---- decisions

    private void act(Runnable news, @Nullable Member from) {
        Ballot.Decision decision;
        boolean late;
        lock.lock();
        try {
            late = decided;
            news.run();
            decision = late || asking ? new Ballot.Decision.Wait(false) : ballot.decide(patienceOver);
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
            conclude(() -> {});
            return;
        }
        if (decision instanceof Ballot.Decision.Won won) {
            outcome.complete(new Outcome.Won(won.token(), claim.tokens(), won.votes(), number));
            quorum.members.all.forEach(this::adopt);
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
        quorum.raise(member, claim, number, answered, to).whenComplete((reply, failure) -> {
            boolean stands = failure == null && Member.number(reply, 0) == 1;
            act(
                    () -> {
                        if (failure != null) {
                            failures.add(Member.unwrap(failure));
                        }
                        ballot.raised(member.index, stands);
                    },
                    null);
        });
    }

    private long ballotValue(Member member) {
        lock.lock();
        try {
            return ballot.valueOf(member.index);
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
            var unused = quorum.raise(member, claim, number, value, token);
        }
    }

    // ---- after a defeat

    private void lose() {
        Member place = claim.queue() && queuedAt == null
                ? quorum.members.home(claim.name()).orElse(null)
                : null;
        CompletionStage<List<Object>> queueing = null;
        for (Member member : quorum.members.all) {
            boolean suspect;
            boolean underway;
            lock.lock();
            try {
                suspect = suspects[member.index];
                underway = ballot.valueOf(member.index) == 0;
            } finally {
                lock.unlock();
            }
            if (member == place) {
                queueing = quorum.undo(member, claim, number, underway, true);
            } else if (suspect) {
                quorum.undo(member, claim, number, underway, false);
            }
        }
        if (place == null || queueing == null) {
            conclude();
            return;
        }
        queueing.whenComplete((reply, failure) -> {
            if (failure == null && Member.number(reply, 2) > 0) {
                locked(() -> queuedAt = place);
            }
            conclude();
        });
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
            over = concluding && isClear();
        } finally {
            lock.unlock();
        }
        if (over) {
            outcome.complete(lost());
        }
    }

    /** Busy, or unavailable? That it is busy only a majority can say, so for that many we wait as long as a node gets. */
    private boolean isClear() {
        int size = quorum.members.size();
        int majority = quorum.members.majority;
        boolean spoken = answers - failures.size() >= majority;
        boolean unavailable = size - failures.size() < majority;
        return answers >= size || (heardEnough && (spoken || unavailable));
    }

    private void locked(Runnable step) {
        lock.lock();
        try {
            step.run();
        } finally {
            lock.unlock();
        }
    }

    private Outcome lost() {
        lock.lock();
        try {
            return new Outcome.Lost(
                    List.copyOf(sightings), List.copyOf(failures), queuedAt, quorum.environment.nanoTime() - sentNanos);
        } finally {
            lock.unlock();
        }
    }
}
