package dev.holdfast;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import org.jspecify.annotations.Nullable;

/**
 * This process's one claim for a name: asked, queued at the backend, or between two questions. After an unknown outcome a
 * fresh one with a fresh owner takes its place. All fields belong to the steps of its {@link NameQueue}.
 */
final class LocalClaim extends Alarm {
    final Engine engine;
    final String name;
    final Owner owner;
    final Terms terms;
    /** Whether the backend may queue it; false as long as nobody but a caller that will not wait asks. */
    boolean queueing;

    boolean inFlight;
    boolean queued;
    /** A hint came while a question was under way: its answer may be older than the hint. */
    boolean askAgain;

    @Nullable
    Holder heldBy;

    /** Whether the last thing heard of this claim was an answer. */
    private boolean answered;

    /** When the last question was asked. */
    long askedNanos;

    /** While the backend fails: since when, how often in a row, and with what. */
    long failingSinceNanos;

    int failures;

    /** How often in a row no answer came in time. */
    int overdue;

    @Nullable
    Throwable failure;

    LocalClaim(Engine engine, String name, Owner owner, Terms terms, boolean queueing) {
        this.engine = engine;
        this.name = name;
        this.owner = owner;
        this.terms = terms;
        this.queueing = queueing;
    }

    Claim toClaim() {
        int tokens = terms.renewing() ? engine.settings.cohort() : 1;
        return new Claim(name, owner, terms.lease(), tokens, queueing, terms.holder());
    }

    /** The same wish under another name: what is known of the outage goes along. */
    LocalClaim withOwner(Owner fresh) {
        LocalClaim next = new LocalClaim(engine, name, fresh, terms, queueing);
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
    }

    boolean isAnswered() {
        return answered;
    }

    @Override
    void ring(Renewals.Batch batch) {
        engine.claimDue(this);
    }
}
