package dev.holdfast;

import dev.holdfast.spi.Failures;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The only place that parks a thread, and the only one that waits for a stage. */
final class Blocking {
    // Set only while a backend that blocks is asked: other backends need not pay for it.
    private static final ThreadLocal<Boolean> LENT = new ThreadLocal<>();

    private Blocking() {}

    /** Asks the backend on a thread that would do nothing but wait for its answer. */
    static <T> T lendThread(LockBackend backend, Supplier<T> asking) {
        if (!backend.blocks()) {
            return asking.get();
        }
        LENT.set(true);
        try {
            return asking.get();
        } finally {
            LENT.remove();
        }
    }

    static boolean isLent() {
        return LENT.get() != null;
    }

    /**
     * Lets the waiter join, and waits until it is settled.
     *
     * @param unlimited whether the thread will wait however long the backend takes, so that it can be lent
     */
    static Object await(ParkedWaiter waiter, boolean unlimited) throws InterruptedException {
        try {
            return await(unlimited ? lendThread(waiter.engine.backend, waiter::join) : waiter.join());
        } catch (RuntimeException | Error e) {
            waiter.abandon();
            throw e;
        }
    }

    /** Waits until the waiter is settled. An interrupt withdraws it; a lease that won that race is given back. */
    private static Object await(ParkedWaiter waiter) throws InterruptedException {
        boolean interrupted = false;
        Object result;
        while ((result = waiter.result()) == null) {
            LockSupport.park(waiter);
            if (Thread.interrupted()) {
                interrupted = true;
                // Settles it, if nobody has: from here the result is certain to come, and soon.
                waiter.engine.leave(waiter, Refusal.Kind.CLOSED);
            }
        }
        if (!interrupted) {
            return result;
        }
        if (result instanceof TenureLease lease) {
            lease.close();
        }
        throw new InterruptedException(
                "Interrupted while waiting for " + waiter.lockKey() + "; withdrew, nothing is held.");
    }

    /** As {@link #await}, for work that nobody needs once this caller has gone: then the backend is told to stop. */
    static <T> T awaitOrCancel(CompletionStage<T> stage, Duration limit, String what) throws InterruptedException {
        try {
            return await(stage, limit, what);
        } finally {
            // Does nothing to a stage that is complete.
            stage.toCompletableFuture().cancel(false);
        }
    }

    /** Waits for an answer of the backend, as a caller that inspects things wants it. */
    static <T> T await(CompletionStage<T> stage, Duration limit, String what) throws InterruptedException {
        try {
            return stage.toCompletableFuture().get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            Throwable cause = Failures.unwrap(e);
            throw new LockUnavailableException(
                    "The backend could not " + what + ": " + Failures.describe(cause), cause);
        } catch (TimeoutException e) {
            throw new LockUnavailableException(
                    "The backend could not " + what + ": no answer within " + Texts.of(limit), null, null, limit, e);
        }
    }

    /** Waits for whatever outcome, at most about that long. An interrupt neither ends the wait nor gets lost. */
    static void awaitQuietly(CompletableFuture<?> future, long limitNanos) {
        boolean interrupted = false;
        while (true) {
            try {
                future.get(limitNanos, TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException | TimeoutException e) {
                break;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
