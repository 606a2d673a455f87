package dev.holdfast.spi;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.LockState;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Where locks are stored. Every call is one atomic step at the store, never blocks, and is idempotent on its owner.
 *
 * <p>Normal completion is a proof. Exceptional completion means <em>outcome unknown</em>: the step may have happened, or
 * may still happen within {@link Guarantees#settling}. Two exceptions prove that nothing was granted: {@link
 * NotSentException} and {@link RefusedException}. Calls must not throw; stages may be completed on any thread.
 */
public interface LockBackend extends AutoCloseable {
    /** Called once, before anything else. Nothing is sent to the store on behalf of locks before this. */
    void open(Environment environment, Events events);

    /** What this backend promises. The conformance kit holds it to that, in both directions. */
    Guarantees guarantees();

    /** Whether a step occupies a thread until the store has answered; only then {@link Environment#mayBlock} is ever true. */
    default boolean blocks() {
        return false;
    }

    /** Asks for a tenure; with an owner that already has it, answers with the same grant. */
    CompletionStage<Answer> tryAcquire(Claim claim);

    /** Extends each of them. The answers are in the order of the holdings. */
    CompletionStage<List<Renewal>> renew(List<Holding> holdings);

    /** Ends a tenure. False: it was no longer ours, and nothing was touched. */
    CompletionStage<Boolean> release(Holding holding);

    /**
     * Ends a tenure and claims the next one for the same name, in that order. A backend that can do both in one step
     * saves a request; a failure leaves both outcomes unknown.
     */
    default CompletionStage<Answer> releaseAndClaim(Holding holding, Claim next) {
        return release(holding).thenCompose(released -> tryAcquire(next));
    }

    /** Takes a claim back: out of the queue, and released if it was granted in the meantime. */
    CompletionStage<Void> withdraw(String name, Owner owner);

    /** Who holds this name; empty if nobody does. */
    CompletionStage<Optional<LockState>> describe(String name);

    /** The held locks whose names begin so, at most {@code limit} of them, ordered by name. */
    CompletionStage<List<LockState>> list(String prefix, int limit);

    /** Ends somebody's tenure, but only that of the owner that was seen. Answers with what was ended. */
    CompletionStage<Optional<LockState>> breakLock(String name, Owner owner);

    /** What endangers the lock here, with the remedy. */
    CompletionStage<List<Finding>> diagnose();

    /** Lets go of connections. Pending stages complete exceptionally; locks that are held stay until they expire. */
    @Override
    void close();
}
