package dev.holdfast.proving;

import dev.holdfast.proving.subject.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Plays stores side by side: trials mostly wait. A store is never in two lanes. */
final class Lanes {
    private static final long PATIENCE_SECONDS = 60;

    private Lanes() {}

    /** One turn of a store. */
    interface Turn {
        /** Whether the store is to have another turn, after the others. */
        boolean play(Store store) throws InterruptedException;
    }

    /** Blocks until no store is to have another turn. */
    static void run(int lanes, List<Store> stores, Turn turn) throws InterruptedException {
        Queue<Store> waiting = new ConcurrentLinkedQueue<>(stores);
        int count = Math.max(1, Math.min(lanes, stores.size()));
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(threads.submit(() -> {
                    for (Store store = waiting.poll(); store != null; store = waiting.poll()) {
                        if (turn.play(store)) {
                            waiting.add(store);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("The proving ground itself is broken: " + e.getCause(), e);
        } finally {
            threads.shutdownNow();
            // The others must have ended their processes before the machine ends.
            boolean unused = threads.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }
}
