package dev.holdfast.benchmarks.sidebyside;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Threads that lock and unlock for a while.
 *
 * @param names which lock a thread wants next
 * @param holdNanos how long it keeps it
 */
record Load(List<Peer.Client> clients, int threadsEach, IntFunction<Supplier<String>> names, long holdNanos) {
    /**
     * What came of it.
     *
     * @param waits from asking to holding
     * @param cycles from asking to having let go
     * @param perClient how many acquisitions each client had
     * @param heldSeconds for how long all threads together held something, before the end of the time that was asked for
     */
    record Outcome(Waits waits, Waits cycles, List<Integer> perClient, double seconds, double heldSeconds) {
        /** Where nobody asks for how long. */
        Outcome(Waits waits, Waits cycles, List<Integer> perClient, double seconds) {
            this(waits, cycles, perClient, seconds, 0);
        }

        long acquisitions() {
            return waits.size();
        }

        double fairness() {
            return Collections.max(perClient) / (double) Math.max(1, Collections.min(perClient));
        }
    }

    Outcome run(double seconds) throws Exception {
        int threads = clients.size() * threadsEach;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<Times>> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int thread = i;
            running.add(executor.submit(() -> {
                start.await();
                return work(thread, System.nanoTime() + (long) (seconds * 1e9));
            }));
        }
        long started = System.nanoTime();
        start.countDown();
        List<Waits> waits = new ArrayList<>();
        List<Waits> cycles = new ArrayList<>();
        double heldSeconds = 0;
        int[] perClient = new int[clients.size()];
        for (int i = 0; i < threads; i++) {
            Times times = running.get(i).get();
            waits.add(times.waits());
            cycles.add(times.cycles());
            heldSeconds += times.heldNanos() / 1e9;
            perClient[i % clients.size()] += waits.get(i).size();
        }
        executor.shutdown();
        return new Outcome(
                Waits.merged(waits),
                Waits.merged(cycles),
                Arrays.stream(perClient).boxed().toList(),
                (System.nanoTime() - started) / 1e9,
                heldSeconds);
    }

    private record Times(Waits waits, Waits cycles, long heldNanos) {}

    private Times work(int thread, long until) throws Exception {
        Peer.Client client = clients.get(thread % clients.size());
        Supplier<String> name = names.apply(thread);
        Waits waits = new Waits();
        Waits cycles = new Waits();
        long heldNanos = 0;
        for (long begun = System.nanoTime(); begun < until; begun = System.nanoTime()) {
            Peer.Held held = client.lock(name.get());
            long got = System.nanoTime();
            waits.add(got - begun);
            if (holdNanos > 0) {
                LockSupport.parkNanos(holdNanos);
            }
            heldNanos += Math.max(0, Math.min(until, System.nanoTime()) - got);
            held.unlock();
            cycles.add(System.nanoTime() - begun);
        }
        return new Times(waits, cycles, heldNanos);
    }
}
