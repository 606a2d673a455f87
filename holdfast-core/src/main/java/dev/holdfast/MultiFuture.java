package dev.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Takes several locks for a future: whoever brings one lock asks for the next. The user may complete the future first, by
 * cancelling it or in any other way: then the waiting ends, and what was taken is given back at once.
 */
final class MultiFuture {
    private final MultiAttempt attempt;
    private final CompletableFuture<MultiLease> future = new CompletableFuture<>();
    // The locks between the last grant and their delivery. Whoever takes them out owns them: the executor's task, to
    // hand them
    // over; or whoever finds that nobody wants them any more, to give them back.
    private final AtomicReference<@Nullable MultiLease> onTheirWay = new AtomicReference<>();

    MultiFuture(MultiAttempt attempt) {
        this.attempt = attempt;
    }

    CompletableFuture<MultiLease> acquire() {
        takeNext();
        var unused = future.whenComplete((whole, failure) -> {
            attempt.giveBack();
            giveBackIfOnTheirWay();
        });
        return future;
    }

    /** Never throws: whoever comes here may have brought a lease. As deep as there are names, if the store answers at once. */
    private void takeNext() {
        try {
            MultiAttempt.Next next = attempt.next();
            if (next == null) {
                deliver();
            } else if (!future.isDone()) {
                attempt.join(new Member(next));
            }
        } catch (Throwable notPossible) {
            fail(notPossible);
        }
    }

    private void deliver() {
        onTheirWay.set(attempt.whole());
        // The user may have completed the future before it could see them there; then they are not seen again.
        if (future.isDone()) {
            giveBackIfOnTheirWay();
            return;
        }
        attempt.engine.runUserCode(this::handOver);
    }

    private void handOver() {
        MultiLease whole = onTheirWay.getAndSet(null);
        if (whole != null && !future.complete(whole)) {
            whole.giveBack();
        }
    }

    private void giveBackIfOnTheirWay() {
        MultiLease whole = onTheirWay.getAndSet(null);
        if (whole != null) {
            whole.giveBack();
        }
    }

    private void fail(Throwable why) {
        attempt.giveBack();
        if (!future.isDone()) {
            attempt.engine.runUserCode(() -> future.completeExceptionally(why));
        }
    }

    /** Waits for one of the names. */
    private final class Member extends Waiter {
        Member(MultiAttempt.Next next) {
            super(attempt.engine, next.name(), attempt.terms, next.waitNanos(), null);
        }

        @Override
        void deliver(TenureLease lease) {
            attempt.took(lease);
            takeNext();
        }

        @Override
        void deliver(Refusal refusal) {
            fail(attempt.toException(refusal));
        }
    }
}
