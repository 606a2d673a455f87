package dev.holdfast.etcd;

import dev.holdfast.spi.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** Helpers for futures. */
final class Futures {
    private Futures() {}

    /** Calls the step; if it throws, returns a failed future. */
    static <T> CompletableFuture<T> safely(Supplier<CompletableFuture<T>> step) {
        try {
            return step.get();
        } catch (Throwable bug) {
            // Also an Error: a thread that could not be started must not leave others waiting for an answer.
            return CompletableFuture.failedFuture(bug);
        }
    }

    /** Continues a failed stage with another one. */
    static <T> CompletableFuture<T> recover(
            CompletableFuture<T> stage, Function<Throwable, CompletableFuture<T>> otherwise) {
        return stage.exceptionallyCompose(failure -> otherwise.apply(Failures.unwrap(failure)));
    }

    static <T> CompletableFuture<T> mapFailure(CompletableFuture<T> stage, Function<Throwable, Throwable> mapping) {
        return recover(stage, failure -> CompletableFuture.failedFuture(mapping.apply(failure)));
    }

    /** All values, in order; the first failure if there is one. */
    static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> stages) {
        return CompletableFuture.allOf(stages.toArray(CompletableFuture[]::new)).thenApply(done -> {
            List<T> values = new ArrayList<>(stages.size());
            stages.forEach(stage -> values.add(stage.join()));
            return values;
        });
    }
}
