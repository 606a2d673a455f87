package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.function.SingletonSupplier;

/** The way of every locked call: acquire, run, check, give back. Safe for use by many threads. */
final class LockRunner {
    private final SingletonSupplier<Holdfast> holdfast;

    LockRunner(ObjectProvider<Holdfast> holdfast) {
        this.holdfast = SingletonSupplier.of(holdfast::getObject);
    }

    Holdfast holdfast() {
        return holdfast.obtain();
    }

    /** What runs under the locks. */
    @FunctionalInterface
    interface Section<X extends Throwable> {
        @Nullable
        Object run(LockedContext context) throws X;
    }

    /** Nothing is held if it throws. What it returns must be handed to one of the methods below. */
    HeldLocks acquire(List<LockRequest> inOrder, CallersTransaction transaction, boolean fenced)
            throws BusyException, InterruptedException {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            String name = inOrder.get(0).lock().name();
            if (fenced) {
                throw refused(name, "announces its token with the first statement of its transaction");
            }
            if (transaction == CallersTransaction.REFUSE) {
                throw refused(name, "must be acquired before a transaction begins");
            }
        }
        HeldLocks held = HeldLocks.acquire(inOrder);
        if (transaction == CallersTransaction.HOLD && TransactionLocks.isTransactionOpen()) {
            try {
                TransactionLocks.hold(held);
            } catch (RuntimeException | Error e) {
                held.leave();
                throw e;
            }
        }
        return held;
    }

    private static IllegalTransactionStateException refused(String name, String rule) {
        return new IllegalTransactionStateException("The lock '" + name + "' " + rule
                + ", and the caller has begun a transaction already. Nothing was locked, and nothing was run.");
    }

    /** For a section that is done when it returns. */
    <X extends Throwable> @Nullable Object run(HeldLocks held, @Nullable FencedTransaction fence, Section<X> section)
            throws X {
        LockedContext context = LockedContext.enter(held);
        try {
            held.ensureValid();
            if (fence != null) {
                // What the database let commit is right, even if the lease has ended since.
                return fence.run(held, context, section);
            }
            Object result = section.run(context);
            held.ensureNotLost();
            return result;
        } finally {
            context.exit();
            held.leave();
        }
    }

    /** For a section that is done when the stage it returns is complete, on whatever thread. */
    <X extends Throwable> @Nullable CompletableFuture<Object> runStage(HeldLocks held, Section<X> section) throws X {
        LockedContext context = LockedContext.enter(held);
        boolean handedOver = false;
        try {
            held.ensureValid();
            CompletionStage<?> stage = (CompletionStage<?>) section.run(context);
            if (stage == null) {
                return null;
            }
            CompletableFuture<Object> result = new CompletableFuture<>();
            stage.whenComplete((value, failure) -> finish(held, value, failure, result));
            handedOver = true;
            var unused = result.whenComplete((value, failure) -> cancelIfCancelled(result, stage));
            return result;
        } finally {
            context.exit();
            if (!handedOver) {
                held.leave();
            }
        }
    }

    /** The locks are free when the caller learns of the result, as with a method that returns. */
    private static void finish(
            HeldLocks held, @Nullable Object value, @Nullable Throwable failure, CompletableFuture<Object> result) {
        Throwable outcome = failure;
        try {
            if (outcome == null) {
                held.ensureNotLost();
            }
        } catch (RuntimeException lost) {
            outcome = lost;
        }
        Throwable told = outcome;
        var unused = held.leaveAsync().whenComplete((done, unreachable) -> {
            if (told == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(told);
            }
        });
    }

    /** The locks stay until the work has really stopped. */
    private static void cancelIfCancelled(CompletableFuture<Object> result, CompletionStage<?> stage) {
        if (result.isCancelled()) {
            stage.toCompletableFuture().cancel(true);
        }
    }
}
