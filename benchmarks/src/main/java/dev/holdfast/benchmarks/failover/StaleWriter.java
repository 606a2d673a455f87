package dev.holdfast.benchmarks.failover;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * A section that begins before a failover and writes after it, and another one in between. If the new master knows nothing of the
 * first, both have the lock, and one of two acknowledged writes is lost unless a guard refuses the first.
 */
final class StaleWriter {
    private final Contestant first;
    private final Contestant second;
    private final String lock;
    private final Executor threads;
    private final CompletableFuture<Void> failedOver = new CompletableFuture<>();
    private final CompletableFuture<Void> secondWrote = new CompletableFuture<>();

    StaleWriter(Contestant first, Contestant second, String lock, Executor threads) {
        this.first = first;
        this.second = second;
        this.lock = lock;
        this.threads = threads;
    }

    /** Whether its write was acknowledged. */
    private interface Story {
        boolean tell() throws Exception;
    }

    /** @param entered completed once the first has the lock, or was refused it */
    CompletableFuture<Boolean> first(CompletableFuture<Void> entered) {
        return told(() -> {
            try {
                Contestant.Section section = first.enter(lock);
                long read = section.read();
                entered.complete(null);
                secondWrote.join();
                section.write(read + 1);
                leave(section);
                return true;
            } finally {
                entered.complete(null);
            }
        });
    }

    /** Waits until the failover has begun, and then for the lock. */
    CompletableFuture<Boolean> second() {
        return told(() -> {
            try {
                failedOver.join();
                Contestant.Section section = second.enter(lock);
                section.write(section.read() + 1);
                leave(section);
                return true;
            } finally {
                secondWrote.complete(null);
            }
        });
    }

    /** The write has been acknowledged; whether the lock could be given back changes nothing about it. */
    private static void leave(Contestant.Section section) {
        try {
            section.leave();
        } catch (Exception lost) {
            // Expected of the first: the lock is the other's, or gone.
        }
    }

    void failedOver() {
        failedOver.complete(null);
    }

    /** The first goes on, whatever has become of the second. */
    void giveUp() {
        secondWrote.complete(null);
    }

    private CompletableFuture<Boolean> told(Story story) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return story.tell();
                    } catch (Exception e) {
                        return false;
                    }
                },
                threads);
    }
}
