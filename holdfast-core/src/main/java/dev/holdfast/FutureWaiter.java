package dev.holdfast;

import java.util.concurrent.CompletableFuture;

/**
 * Somebody who waits on a future. The user may complete that future first, by cancelling it or in any other way: then the
 * waiter leaves, and a lease that was on its way is given back.
 */
final class FutureWaiter extends Waiter {
    private final CompletableFuture<Lease> future = new CompletableFuture<>();
    // Set before we complete the future ourselves, so that its completion is told from one by the user.
    private volatile boolean delivered;

    FutureWaiter(Engine engine, String name, Terms terms, long maxWaitNanos) {
        super(engine, name, terms, maxWaitNanos, null);
    }

    /** Join first: then a future that is completed early finds something to leave. */
    CompletableFuture<Lease> future() {
        var unused = future.whenComplete((lease, failure) -> {
            if (!delivered) {
                engine.leave(this, Refusal.Kind.CLOSED);
            }
        });
        return future;
    }

    @Override
    void deliver(TenureLease lease) {
        delivered = true;
        engine.runUserCode(() -> {
            if (!future.complete(lease)) {
                var unused = lease.releaseAsync();
            }
        });
    }

    @Override
    void deliver(Refusal refusal) {
        delivered = true;
        if (!future.isDone()) {
            engine.runUserCode(() -> future.completeExceptionally(refusal.toException()));
        }
    }
}
