package dev.holdfast.etcd;

import dev.holdfast.spi.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A value that the first who needs it makes for all others, until somebody finds that it is of no use any more. */
final class Shared<T> {
    private final AtomicReference<@Nullable CompletableFuture<T>> current = new AtomicReference<>();

    /** @param make is given the future that will have the value, for {@link #clear}. A failure is not kept */
    CompletableFuture<T> get(Function<CompletableFuture<T>, CompletableFuture<T>> make) {
        CompletableFuture<T> mine = new CompletableFuture<>();
        CompletableFuture<T> known = current.compareAndExchange(null, mine);
        if (known != null) {
            return known;
        }
        var unused = Futures.safely(() -> make.apply(mine)).whenComplete((value, failure) -> {
            if (failure == null) {
                mine.complete(value);
            } else {
                clear(mine);
                mine.completeExceptionally(Failures.unwrap(failure));
            }
        });
        return mine;
    }

    /** Does nothing if there is another one since. */
    void clear(CompletableFuture<T> found) {
        current.compareAndSet(found, null);
    }

    void ifThere(Consumer<T> action) {
        CompletableFuture<T> known = current.get();
        if (known != null) {
            var unused = known.thenAccept(action);
        }
    }
}
