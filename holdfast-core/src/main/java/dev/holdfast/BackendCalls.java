package dev.holdfast;

import dev.holdfast.spi.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls a backend, and acts on its answer, so that no exception on either side is lost. */
final class BackendCalls {
    private final Reports reports;

    BackendCalls(Reports reports) {
        this.reports = reports;
    }

    /** Backends must not throw; one that does is treated as if its stage had failed. */
    <T> CompletableFuture<T> call(Supplier<CompletionStage<T>> call) {
        try {
            return call.get().toCompletableFuture();
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** As whenComplete, but an exception of the action is seen instead of vanishing in a stage that nobody keeps. */
    <T> void whenDone(CompletableFuture<T> future, BiConsumer<@Nullable T, @Nullable Throwable> action) {
        // A store in memory has answered by now. No stage has to carry that, and no time to be spent on one.
        if (future.isDone() && !future.isCompletedExceptionally()) {
            safely(action, future.join(), null);
            return;
        }
        var unused = future.whenComplete(
                (value, failure) -> safely(action, value, failure == null ? null : Failures.unwrap(failure)));
    }

    private <T> void safely(
            BiConsumer<@Nullable T, @Nullable Throwable> action, @Nullable T value, @Nullable Throwable failure) {
        try {
            action.accept(value, failure);
        } catch (Throwable bug) {
            reports.bug(bug);
        }
    }
}
