package dev.holdfast.spring;

import dev.holdfast.CriticalAction;
import dev.holdfast.CriticalSection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;

/**
 * {@link Locked} without a proxy: for calls within one object, and where the name is known only at run time. The same rules hold
 * for the caller's transaction, for a lock that this thread holds already, and for a lease that is lost before a commit.
 *
 * <pre>{@code
 * template.maxWait(Duration.ofSeconds(2)).run("order:" + id, lease -> transactions.executeWithoutResult(tx -> pay(id)));
 * }</pre>
 *
 * <p>Immutable: each option returns another template. Safe for use by many threads. All calls block.
 */
public final class LockTemplate {
    private final LockRunner runner;
    private final LockTerms terms;
    private final FencedTransactions fences;
    private final CallersTransaction transaction;
    private final @Nullable FencedTransaction fence;

    @Autowired
    LockTemplate(LockRunner runner, FencedTransactions fences) {
        this(runner, fences, LockTerms.DEFAULT, CallersTransaction.HOLD, null);
    }

    private LockTemplate(
            LockRunner runner,
            FencedTransactions fences,
            LockTerms terms,
            CallersTransaction transaction,
            @Nullable FencedTransaction fence) {
        this.runner = runner;
        this.fences = fences;
        this.terms = terms;
        this.transaction = transaction;
        this.fence = fence;
    }

    /** How long to wait for the lock; 10 seconds unless set. */
    public LockTemplate maxWait(Duration maxWait) {
        return with(new LockTerms(
                Objects.requireNonNull(maxWait, "maxWait"), terms.lease(), terms.atLeast(), terms.atMost()));
    }

    /** How long the store keeps the lock if this process dies; unless set, as {@code Holdfast} was built. */
    public LockTemplate lease(Duration lease) {
        return with(new LockTerms(
                terms.maxWait(), Objects.requireNonNull(lease, "lease"), terms.atLeast(), terms.atMost()));
    }

    /** Keeps the lock taken for at least this long, also after the section. */
    public LockTemplate atLeast(Duration minimum) {
        return with(new LockTerms(
                terms.maxWait(), terms.lease(), Objects.requireNonNull(minimum, "minimum"), terms.atMost()));
    }

    /** Ends the lease after this time, whether the section is done or not. */
    public LockTemplate atMost(Duration bound) {
        return with(
                new LockTerms(terms.maxWait(), terms.lease(), terms.atLeast(), Objects.requireNonNull(bound, "bound")));
    }

    /** What to do if the caller has begun a transaction; {@link CallersTransaction#HOLD} unless set. */
    public LockTemplate transaction(CallersTransaction rule) {
        return new LockTemplate(runner, fences, terms, Objects.requireNonNull(rule, "rule"), fence);
    }

    /**
     * Runs the section in a transaction that announces the token of the lock, as {@link Locked#fenced} does, with the
     * application's transaction manager.
     *
     * @throws IllegalStateException if there is no transaction manager that this can work with
     */
    public LockTemplate fenced() {
        return new LockTemplate(runner, fences, terms, transaction, fences.ofDefault());
    }

    private LockTemplate with(LockTerms other) {
        return new LockTemplate(runner, fences, other, transaction, fence);
    }

    /**
     * Waits for the lock, runs the section, and returns what it returned.
     *
     * @throws dev.holdfast.LockTimeoutException if the lock was busy for that long; the section did not run
     * @throws dev.holdfast.LeaseLostException if the lease ended before the section did
     * @throws InterruptedException if interrupted while waiting; the section did not run
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // It is what the section returned, null or not.
    public <T extends @Nullable Object, X extends Exception> T call(String name, CriticalSection<T, X> section)
            throws X, InterruptedException {
        Objects.requireNonNull(section, "section");
        LockRunner.Section<X> body = context -> section.run(context.lease());
        return (T) execute(name, body);
    }

    /** As {@link #call}, for what returns nothing. */
    public <X extends Exception> void run(String name, CriticalAction<X> action) throws X, InterruptedException {
        Objects.requireNonNull(action, "action");
        LockRunner.Section<X> body = context -> {
            action.run(context.lease());
            return null;
        };
        execute(name, body);
    }

    private <X extends Exception> @Nullable Object execute(String name, LockRunner.Section<X> body)
            throws X, InterruptedException {
        LockRequest request = new LockRequest(terms.applyTo(runner.holdfast().lock(name)), terms.maxWait(), 0);
        HeldLocks held;
        try {
            held = runner.acquire(List.of(request), transaction, fence != null);
        } catch (BusyException busy) {
            throw busy.timeout();
        }
        return runner.run(held, fence, body);
    }
}
