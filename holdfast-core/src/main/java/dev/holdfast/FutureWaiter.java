package dev.holdfast;

import java.util.concurrent.CompletableFuture;

/**
 * Somebody who waits on a future. The user may complete that future first, by cancelling it or in any other way: then the
 * waiter leaves, and a lease that was on its way is given back.
 */
final class FutureWaiter extends Waiter {
    private final CompletableFuture<Lease> future = new CompletableFuture<>();

    FutureWaiter(Engine engine, String name, Terms terms, long maxWaitNanos) {
        super(engine, name, terms, maxWaitNanos, null);
    }

    /** Join first: then a future that is completed early finds something to leave. */
    CompletableFuture<Lease> future() {
        var unused = future.whenComplete((lease, failure) -> engine.leave(this, Refusal.Kind.CLOSED));
        return future;
    }

    @Override
    void deliver(TenureLease lease) {
        engine.runUserCode(() -> {
            if (!future.complete(lease)) {
                var unused = lease.releaseAsync();
            }
        });
    }

    @Override
    void deliver(Refusal refusal) {
        if (!future.isDone()) {
            engine.runUserCode(() -> future.completeExceptionally(refusal.toException()));
        }
    }
}
