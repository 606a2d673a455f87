package dev.holdfast;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import org.jspecify.annotations.Nullable;

/**
 * This process's one claim for a key: asked, queued at the backend, or between two questions. After an unknown outcome a
 * fresh one with a fresh owner takes its place. All fields belong to the steps of its {@link NameQueue}.
 */
final class LocalClaim extends Alarm {
    final Engine engine;
    final String key;
    final Owner owner;
    /** Of the connection for which the owner was drawn. */
    private final long mark;

    final Terms terms;
    /** Whether the backend may queue it; false as long as nobody but a caller that will not wait asks. */
    boolean queueing;

    /** When it first asked for a place in the queue; 0 before. A repeated claim must be the same, so it is read once. */
    private long queueingSinceMicros;

    boolean inFlight;
    boolean queued;
    /** A hint came while a question was under way: its answer may be older than the hint. */
    boolean askAgain;

    @Nullable
    Holder heldBy;

    /** Whether the last thing heard of the store was an answer: "busy", or the lock itself, held in this process. */
    private boolean answered;

    /** While a question is open: until when that answer stood. */
    private long answeredUntilNanos;

    /** Whether that answer was a tenure of this process. */
    private boolean heldHere;

    /** When the last question was asked. */
    long askedNanos;

    /** While the backend fails: since when, how often in a row, and with what. */
    long failingSinceNanos;

    int failures;

    /** How often in a row no answer came in time. */
    int overdue;

    @Nullable
    Throwable failure;

    LocalClaim(Engine engine, String key, Terms terms, boolean queueing) {
        this.engine = engine;
        this.key = key;
        this.mark = engine.connectionMark();
        this.owner = engine.newOwner(mark);
        this.terms = terms;
        this.queueing = queueing;
    }

    Claim toClaim() {
        int tokens = terms.renewing() ? engine.settings.cohort() : 1;
        Claim claim = terms.share(Claim.of(key, owner, terms.lease(), tokens, terms.holder()));
        if (!queueing) {
            return claim;
        }
        if (queueingSinceMicros == 0) {
            queueingSinceMicros = engine.environment.wallMicros();
        }
        return claim.queuedSince(queueingSinceMicros);
    }

    /** A question goes out: until now the last answer stood. */
    void noteAsked(long nowNanos) {
        if (!inFlight) {
            answeredUntilNanos = nowNanos;
        }
        inFlight = true;
        askAgain = false;
        askedNanos = nowNanos;
    }

    /** This claim follows a tenure of this process, which lasted until then. */
    void noteHeldHere(long untilNanos) {
        answered = true;
        answeredUntilNanos = untilNanos;
        heldHere = true;
    }

    /** This claim was made when another one of this process was granted. */
    void noteServedHere(long atNanos) {
        answered = true;
        answeredUntilNanos = atNanos;
    }

    /** This claim takes the place of one that was made on other terms: what the store said to that one still counts. */
    void inheritAnswer(LocalClaim before, long nowNanos) {
        answered = before.answered;
        answeredUntilNanos = before.inFlight ? before.answeredUntilNanos : nowNanos;
        heldHere = before.heldHere;
        heldBy = before.heldBy;
        failure = before.failure;
        failures = before.failures;
        failingSinceNanos = before.failingSinceNanos;
        overdue = before.overdue;
    }

    /**
     * Whether what the store said last is an answer that stood for at least a moment of this waiter's own wait. A question
     * that is open changes nothing about that; one that was open all the time leaves the waiter without an answer.
     */
    boolean wasAnsweredDuringTheWaitOf(Waiter waiter) {
        return answered && (!inFlight || answeredUntilNanos - waiter.sinceNanos >= 0);
    }

    /** Since when the lock is no longer held in this process, or NEVER if the store has said something else since. */
    long heldHereUntilNanos() {
        return answered && heldHere ? answeredUntilNanos : NEVER;
    }

    /**
     * Whether its owner was drawn for a connection that is gone, and nothing at the backend bears it. A copy of this process
     * has drawn the same one, and may ask with it.
     */
    boolean isOfAnEarlierConnection() {
        return !inFlight && !queued && mark != engine.connectionMark();
    }

    /** The same claim under another owner: what is known of the outage goes along. */
    LocalClaim underNewOwner() {
        LocalClaim next = new LocalClaim(engine, key, terms, queueing);
        next.askedNanos = askedNanos;
        next.failingSinceNanos = failingSinceNanos;
        next.failures = failures;
        next.overdue = overdue;
        next.failure = failure;
        return next;
    }

    /** The outage began, at the latest, when the question was asked that got no answer. */
    void noteFailure(Throwable cause) {
        if (failure == null) {
            failingSinceNanos = askedNanos;
        }
        failure = cause;
        failures++;
        answered = false;
    }

    void noteAnswer() {
        failure = null;
        failures = 0;
        overdue = 0;
        answered = true;
        heldHere = false;
    }

    @Override
    void fire() {
        engine.claimDue(this);
    }
}
