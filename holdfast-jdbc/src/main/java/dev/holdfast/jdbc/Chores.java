package dev.holdfast.jdbc;

import dev.holdfast.spi.Environment;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What has to be done now and then, by whoever is there. Failures do not matter: it is done again. */
final class Chores {
    private static final long SWEEP_EVERY_NANOS = 60_000_000_000L;
    private static final long SWEEP_GRACE_MICROS = 60_000_000;
    private static final int MOST_SWEPT = 500;
    /** After the window: the database must agree that it is over. */
    private static final long MARGIN_NANOS = 20_000_000;

    private final Environment environment;
    private final Desk desk;
    private final Steps steps;
    private final Reading reading;
    private final AtomicLong sweptNanos;
    private final Set<String> watched = ConcurrentHashMap.newKeySet();

    Chores(Environment environment, Desk desk, Steps steps, Reading reading) {
        this.environment = environment;
        this.desk = desk;
        this.steps = steps;
        this.reading = reading;
        // The first sweep soon: the process before us may have left its rows.
        this.sweptNanos = new AtomicLong(environment.nanoTime() - SWEEP_EVERY_NANOS);
    }

    void sweepNowAndThen() {
        long now = environment.nanoTime();
        long last = sweptNanos.get();
        if (now - last >= SWEEP_EVERY_NANOS && sweptNanos.compareAndSet(last, now)) {
            sweep();
        }
    }

    private void sweep() {
        var unused = desk.soon(connection -> reading.sweep(connection, SWEEP_GRACE_MICROS, MOST_SWEPT))
                .thenAccept(swept -> {
                    if (swept >= MOST_SWEPT) {
                        sweep();
                    }
                });
    }

    /**
     * We handed the lock to a waiter that may be dead. If it has not claimed by the end of its window, the next one gets
     * it. One timer for a name, however often it is handed over.
     */
    void watchWindow(String name, long lentMicros) {
        if (lentMicros > 0 && watched.add(name)) {
            environment.schedule(lentMicros * 1_000 + MARGIN_NANOS, () -> tend(name));
        }
    }

    private void tend(String name) {
        watched.remove(name);
        CompletableFuture<Steps.Vacancy> found = desk.urgently(connection -> steps.vacate(connection, name, "", 0));
        var unused = found.thenAccept(vacancy -> watchWindow(name, vacancy.lentMicros()));
    }
}
