package dev.holdfast.benchmarks.sidebyside;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/** What a {@link Worker} does when told: threads that all want one lock, with a record of every tenure. */
record Shift(Peer.Client client, int threads, long holdNanos) {
    List<Worker.Tenure> work(double seconds) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        long until = System.nanoTime() + (long) (seconds * 1e9);
        List<Future<List<Worker.Tenure>>> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            running.add(executor.submit(() -> workUntil(until)));
        }
        List<Worker.Tenure> all = new ArrayList<>();
        for (Future<List<Worker.Tenure>> each : running) {
            all.addAll(each.get());
        }
        executor.shutdown();
        return all;
    }

    private List<Worker.Tenure> workUntil(long until) throws Exception {
        List<Worker.Tenure> tenures = new ArrayList<>();
        for (long asked = System.nanoTime(); asked < until; asked = System.nanoTime()) {
            Peer.Held held = client.lock("shared");
            long since = System.nanoTime();
            if (holdNanos > 0) {
                LockSupport.parkNanos(holdNanos);
            }
            tenures.add(new Worker.Tenure(asked, since, System.nanoTime()));
            held.unlock();
        }
        return tenures;
    }
}
