package dev.holdfast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where callbacks, listeners and completions of users' futures run: never on a thread that does I/O or keeps time. {@link
 * #run} always takes what it is given and never throws: somebody may be waiting for it, or a lease be on its way.
 */
final class UserCode implements AutoCloseable {
    private final Executor executor;
    private final SpareThread spare;
    private final RateLimitedLog log;

    UserCode(Executor executor, SpareThread spare, RateLimitedLog log) {
        this.executor = executor;
        this.spare = spare;
        this.log = log;
    }

    void run(Runnable code) {
        Task task = new Task(code);
        try {
            executor.execute(task);
        } catch (Throwable refused) {
            // Shut down, full, or no thread to be had. An executor may also have run it, and failed after that.
            log.warn(
                    "executor",
                    "The executor for callbacks refused one; until it works again they run on one spare thread",
                    refused);
            spare.execute(task);
        }
    }

    /** Runs once, however often it is asked to, and lets nothing out, not even a checked exception. */
    private final class Task implements Runnable {
        private final Runnable code;
        private final AtomicBoolean begun = new AtomicBoolean();

        Task(Runnable code) {
            this.code = code;
        }

        @Override
        public void run() {
            if (!begun.compareAndSet(false, true)) {
                return;
            }
            try {
                code.run();
            } catch (Throwable e) {
                log.warn("user-code", "A callback threw; the lock is not affected by it", e);
            }
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

    @Override
    public void close() {
        spare.close();
    }
}
