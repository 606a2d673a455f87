package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Tells of messages that make no sense: the first at once, then of as many as came, once in ten seconds. Whoever may publish could send millions. */
final class MalformedMessages {
    private static final long PAUSE_NANOS = 10_000_000_000L;

    private final Environment environment;
    private final Consumer<String> report;
    private final AtomicLong leftOut = new AtomicLong();
    private final AtomicLong toldNanos;

    MalformedMessages(Environment environment, Consumer<String> report) {
        this.environment = environment;
        this.report = report;
        this.toldNanos = new AtomicLong(environment.nanoTime() - PAUSE_NANOS);
    }

    void note(String what) {
        long now = environment.nanoTime();
        long told = toldNanos.get();
        if (now - told < PAUSE_NANOS || !toldNanos.compareAndSet(told, now)) {
            leftOut.incrementAndGet();
            return;
        }
        long more = leftOut.getAndSet(0);
        report.accept(more == 0 ? what : what + " (and " + more + " more such messages since this was last said)");
    }

    /** Zero for what is not a number. */
    static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException notOurs) {
            return 0;
        }
    }
}
