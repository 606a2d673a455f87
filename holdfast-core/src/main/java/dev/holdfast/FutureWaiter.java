package dev.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who waits on a future. The user may complete that future first, by cancelling it or in any other way: then the
 * waiter leaves, and a lease that was on its way is given back at once, whenever the executor for user code gets to it.
 */
final class FutureWaiter extends Waiter {
    private final CompletableFuture<Lease> future = new CompletableFuture<>();
    // A lease between its grant and its delivery. Whoever takes it out owns it: the executor's task, to hand it over;
    // or
    // whoever finds that nobody wants it any more, to give it back.
    private final AtomicReference<@Nullable TenureLease> onItsWay = new AtomicReference<>();
    // Set before we complete the future ourselves, so that its completion is told from one by the user.
    private volatile boolean settledHere;

    FutureWaiter(Engine engine, String key, Terms terms, long maxWaitNanos) {
        super(engine, key, terms, maxWaitNanos, null);
    }

    /** Join first: then a future that is completed early finds something to leave. */
    CompletableFuture<Lease> future() {
        var unused = future.whenComplete((lease, failure) -> {
            if (!settledHere) {
                engine.leave(this, Refusal.Kind.CLOSED);
            }
            giveBackIfOnItsWay();
        });
        return future;
    }

    @Override
    void deliver(TenureLease lease) {
        settledHere = true;
        onItsWay.set(lease);
        // The user may have completed the future before it could see the lease there; then it is not seen again.
        if (future.isDone()) {
            giveBackIfOnItsWay();
            return;
        }
        engine.runUserCode(this::handOver);
    }

    private void handOver() {
        TenureLease lease = onItsWay.getAndSet(null);
        if (lease != null && !future.complete(lease)) {
            lease.giveBack();
        }
    }

    private void giveBackIfOnItsWay() {
        TenureLease lease = onItsWay.getAndSet(null);
        if (lease != null) {
            lease.giveBack();
        }
    }

    @Override
    void deliver(Refusal refusal) {
        settledHere = true;
        if (!future.isDone()) {
            engine.runUserCode(() -> future.completeExceptionally(refusal.toException()));
        }
    }
}
