package dev.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Where callbacks, listeners and completions of users' futures run: never on a thread that does I/O or keeps time. */
final class UserCode {
    private final Executor executor;
    private final Murmur log;

    UserCode(Executor executor, Murmur log) {
        this.executor = executor;
        this.log = log;
    }

    void run(Runnable code) {
        Runnable safely = () -> {
            try {
                code.run();
            } catch (RuntimeException | Error e) {
                log.warn("user-code", "A callback threw; the lock is not affected by it", e);
            }
        };
        try {
            executor.execute(safely);
        } catch (RejectedExecutionException e) {
            // The executor was shut down before us. Somebody may be waiting for this: better here than never.
            safely.run();
        }
    }

    CompletableFuture<Void> completeThere(CompletableFuture<Void> future) {
        if (future.isDone()) {
            return future.copy();
        }
        CompletableFuture<Void> theirs = new CompletableFuture<>();
        var unused = future.whenComplete((nothing, failure) -> run(() -> {
            if (failure == null) {
                theirs.complete(null);
            } else {
                theirs.completeExceptionally(failure);
            }
        }));
        return theirs;
    }
}
