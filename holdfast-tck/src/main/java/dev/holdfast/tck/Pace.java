package dev.holdfast.tck;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

/**
 * How slow the machine and the store are while something is waited for: meanwhile another lock is taken and given back, again and
 * again. What takes long there may take long for everybody else.
 */
final class Pace {
    /** Whoever is served needs more than one step of the store for it. */
    private static final int STEPS = 3;

    private final Bench bench;
    private final Client client;
    private final Stalls stalls;
    private final String name;
    private long slowestNanos;

    Pace(Bench bench, Client client) {
        this.bench = bench;
        this.client = client;
        this.stalls = bench.stalls();
        this.name = bench.name("pace " + bench.owner());
    }

    /** Waits until all of them are done, and looks now and then. */
    void await(String what, Duration limit, List<? extends Future<?>> all, Runnable look) {
        bench.await(what, limit, () -> {
            long began = bench.now();
            look.run();
            client.release(client.hold(bench.claim(name)));
            slowestNanos = Math.max(slowestNanos, bench.now() - began);
            bench.awaitTime(bench.now() + 10_000_000);
            return all.stream().allMatch(Future::isDone);
        });
    }

    /** What everybody else may have been late by. */
    Duration slowness() {
        return stalls.worst().plusNanos(STEPS * slowestNanos);
    }
}
