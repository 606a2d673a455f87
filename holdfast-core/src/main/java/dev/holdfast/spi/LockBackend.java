package dev.holdfast.spi;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Where locks are stored. Every call is one atomic step at the store, never blocks, and is idempotent on its owner.
 *
 * <p>Normal completion is a proof. Exceptional completion means <em>outcome unknown</em>: the step may have happened, or
 * may still happen within {@link #settling}. Two exceptions prove that nothing was granted: {@link
 * NotSentException} and {@link RefusedException}. Calls must not throw; stages may be completed on any thread.
 *
 * <p>What is locked is named by a <em>key</em>: of a lock its name, of other kinds see {@link LockKey}. Each key has holders and
 * waiters of its own, whatever its kind. Core sends claims of other kinds only where {@link Guarantees#offers} is declared.
 *
 * <ul>
 *   <li>A <em>semaphore</em> is so many exclusive slots under one key, with one line of waiters. A slot is granted, renewed,
 *       released and broken like a lock. A claim is given any free slot below {@link Claim#slots}; a claim that has one
 *       already is given the same again, wherever it is. Nothing is counted. The number of slots belongs to the claim: two
 *       clients may differ.
 *   <li>A <em>read-write lock</em> is granted to a writer if nobody else holds it, and to a reader ({@link Claim#shared}) if no
 *       writer holds it and none waits in front. Readers and writers take their tokens from one counter.
 * </ul>
 */
public interface LockBackend extends AutoCloseable {
    /** Called once, before anything else. Nothing is sent to the store on behalf of locks before this. */
    void open(Environment environment, Events events);

    /** What this backend promises. The conformance kit holds it to that, in both directions. */
    Guarantees guarantees();

    /** How long after a failed request the store may still carry it out. Core withdraws a second time after that. */
    Duration settling();

    /** Whether a step occupies a thread until the store has answered; only then {@link Environment#mayBlock} is ever true. */
    default boolean blocks() {
        return false;
    }

    /**
     * A number that the store handed out for the connection now in use and hands out for no other one, well spread over all
     * 64 bits. It is mixed into owners: a process restored twice from one snapshot has two connections, however equal its
     * memory and its random numbers are. Zero where there is no connection yet, or none that a copy could not share; called
     * for every claim, so it must cost nothing.
     */
    default long connectionMark() {
        return 0;
    }

    /** Asks for a tenure; with an owner that already has it, answers with the same grant. */
    CompletionStage<Answer> tryAcquire(Claim claim);

    /** Extends each of them. The answers are in the order of the holdings. */
    CompletionStage<List<Renewal>> renew(List<Holding> holdings);

    /**
     * Which keys the store renews in one request: those with the same number. Where there are many tenures to renew, core puts them
     * into the same batch.
     */
    default int renewalGroup(String key) {
        return 0;
    }

    /** Ends a tenure. False: it was no longer ours, and nothing was touched. */
    CompletionStage<Boolean> release(Holding holding);

    /**
     * Ends a tenure and claims the next one for the same key, in that order. A backend that can do both in one step
     * saves a request. A failure leaves both outcomes unknown, with two exceptions: {@link
     * ReleasedButClaimFailedException} proves that the tenure was ended, and says what became of the claim; {@link
     * NotSentException} proves that neither was done.
     */
    default CompletionStage<Answer> releaseAndClaim(Holding holding, Claim next) {
        return release(holding).thenCompose(released -> {
            CompletionStage<Answer> claimed;
            try {
                claimed = tryAcquire(next);
            } catch (Throwable e) {
                claimed = CompletableFuture.failedFuture(e);
            }
            return claimed.handle((answer, failure) -> {
                if (failure != null) {
                    throw new ReleasedButClaimFailedException(Failures.unwrap(failure));
                }
                return answer;
            });
        });
    }

    /**
     * Ends a tenure later: in one step, the store keeps the lock for exactly that long from now, whatever is left of its
     * lease, and then it is free like a lock whose lease has run out. The lease that is stored with the lock becomes that
     * time as well, so that nobody takes it for a clock that was set back. Round up, never down. May be longer than the
     * longest lease. Sent again, it sets the time anew. Nobody renews the tenure any more. Whoever waits must learn that the
     * lock ends at another time than before.
     *
     * <p>Called only where {@link Guarantees#heldAtLeast} is declared. False: it was no longer ours, and nothing was touched.
     */
    default CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        return CompletableFuture.failedFuture(
                new UnsupportedOperationException("This backend cannot keep a lock that was closed"));
    }

    /**
     * Takes a claim back: out of the queue, and released if it was granted in the meantime.
     *
     * @param slots of the claim: a slot of a semaphore that it was given is below this number
     */
    CompletionStage<Void> withdraw(String key, Owner owner, int slots);

    /** Who holds this: at most one, unless it is a semaphore (by slot) or a read-write lock (readers, oldest first). */
    CompletionStage<List<LockState>> describe(String key);

    /**
     * The holders of keys that start with the prefix, at most {@code limit} of them, ordered by key, those of one key as {@link
     * #describe} orders them. An entry that cannot be read is left out, and told of by {@link Events#notice}.
     *
     * <p>A listing that nobody waits for any more is cancelled: core calls {@code toCompletableFuture().cancel} on the
     * stage that was returned. A backend that needs more than one request returns a future of its own, looks at it before
     * each of them, and stops. The same holds for {@link #diagnose}.
     */
    CompletionStage<List<LockState>> list(String keyPrefix, int limit);

    /**
     * Ends somebody's tenure, but only that of the owner that was seen. Answers with what was ended.
     *
     * @param slot where it was seen; 0 unless it is a semaphore's
     */
    CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot);

    /** What endangers the lock here, with the remedy. */
    CompletionStage<List<Finding>> diagnose();

    /** Lets go of connections. Pending stages complete exceptionally; locks that are held stay until they expire. */
    @Override
    void close();
}
