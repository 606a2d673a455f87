package dev.holdfast.proving.client;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import dev.holdfast.proving.log.LogWriter;
import dev.holdfast.proving.subject.Belief;
import dev.holdfast.proving.subject.HeldLock;
import dev.holdfast.proving.subject.LockClient;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks for one lock over and over. Under it: reads the resource, works, writes it, gives the lock back. What the library says is written
 * down, with the time from which on it was known, or until which it was not yet.
 */
final class Worker implements Runnable {
    private static final int LOOK_MILLIS = 50;
    private static final int SHORT_WORK_MILLIS = 30;
    private static final int PAUSE_MILLIS = 25;
    /** Every so often somebody asks once and does not wait. */
    private static final int ASK_ONCE_EVERY = 5;

    private final LockClient locks;
    private final String client;
    private final String name;
    private final Duration maxWait;
    private final Random random;
    private final LogWriter log;
    private final ResourceClient resource;
    private final Consumer<String> report;
    private final AtomicLong longWorkMillis = new AtomicLong();
    private volatile boolean stopping;
    private long section;

    Worker(
            LockClient locks,
            String client,
            String name,
            Duration maxWait,
            Random random,
            LogWriter log,
            ResourceClient resource,
            Consumer<String> report) {
        this.locks = locks;
        this.client = client;
        this.name = name;
        this.maxWait = maxWait;
        this.random = random;
        this.log = log;
        this.resource = resource;
        this.report = report;
    }

    /** The next section lasts this long, and does not look at the lock before it writes. */
    void orderLongWork(long millis) {
        longWorkMillis.set(millis);
    }

    void stop() {
        stopping = true;
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                section++;
                attempt();
                Thread.sleep(1 + random.nextInt(PAUSE_MILLIS));
            }
        } catch (InterruptedException | IOException e) {
            note(Kind.UNAVAILABLE, "why", "the worker ended: " + e);
        } finally {
            report.accept("stopped");
        }
    }

    private void note(Kind kind, @Nullable Object... fields) {
        note(System.nanoTime(), kind, fields);
    }

    private void note(long nanos, Kind kind, @Nullable Object... fields) {
        log.write(Event.of(nanos, kind, client, section, fields));
    }

    private static @Nullable Long orNull(OptionalLong number) {
        return number.isPresent() ? number.getAsLong() : null;
    }

    private void attempt() throws InterruptedException, IOException {
        // Whoever is to hold it for long waits for it.
        boolean once = longWorkMillis.get() == 0 && random.nextInt(ASK_ONCE_EVERY) == 0;
        Duration wait = once ? Duration.ZERO : maxWait;
        note(Kind.ATTEMPT, "wait", wait.toMillis());
        Optional<HeldLock> held;
        try {
            held = locks.acquire(name, wait);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            note(Kind.UNAVAILABLE, "why", Texts.of(e));
            return;
        }
        long now = System.nanoTime();
        if (held.isPresent()) {
            hold(held.get(), now);
        } else {
            note(now, Kind.BUSY);
        }
    }

    private void hold(HeldLock held, long grantedAt) throws InterruptedException, IOException {
        Belief first = ask(held);
        long answeredAt = System.nanoTime();
        note(grantedAt, Kind.GRANT, "token", orNull(held.token()), "until", orNull(first.untilNanos()));
        long number = section;
        AtomicBoolean told = new AtomicBoolean(!first.held());
        if (!first.held()) {
            note(answeredAt, Kind.TOLD, "how", "question");
        }
        held.onLost(why -> {
            long now = System.nanoTime();
            if (told.compareAndSet(false, true)) {
                log.write(Event.of(now, Kind.TOLD, client, number, "how", "callback", "why", why));
            }
        });
        long work = longWorkMillis.getAndSet(0);
        if (work > 0) {
            report.accept("holding " + number);
        }
        work(held, told, work);
        release(held, told);
    }

    /** A library that cannot tell has not said no. */
    private static Belief ask(HeldLock held) {
        try {
            return held.belief();
        } catch (Exception e) {
            return Belief.HELD;
        }
    }

    private void work(HeldLock held, AtomicBoolean told, long longMillis) throws InterruptedException, IOException {
        if (held.token().isPresent() && !resource.announce(name, held.token().getAsLong())) {
            note(Kind.REFUSED);
            return;
        }
        long seen = resource.read(name);
        note(Kind.READ, "version", seen);
        long millis = longMillis > 0 ? longMillis : random.nextInt(SHORT_WORK_MILLIS);
        long end = System.nanoTime() + millis * 1_000_000;
        while (System.nanoTime() - end < 0 && !(stopping && longMillis > 0)) {
            Thread.sleep(Math.max(1, Math.min(LOOK_MILLIS, (end - System.nanoTime()) / 1_000_000)));
            if (!look(held, told) && longMillis == 0) {
                return;
            }
        }
        // A short section looks before it writes. A long one does not: the pause that matters comes after the last
        // look.
        if (longMillis > 0 || look(held, told)) {
            OptionalLong version = resource.write(name, seen, held.token(), client, section);
            if (version.isPresent()) {
                note(Kind.WROTE, "based", seen, "version", version.getAsLong());
            } else {
                note(Kind.REFUSED);
            }
        }
    }

    /** Whether the lock is still held, as far as anybody says. */
    private boolean look(HeldLock held, AtomicBoolean told) {
        if (told.get()) {
            return false;
        }
        long asked = System.nanoTime();
        Belief belief;
        try {
            belief = held.belief();
        } catch (Exception cannotTell) {
            return true;
        }
        if (belief.held()) {
            note(Kind.BELIEVES, "asked", asked, "until", orNull(belief.untilNanos()));
        } else if (told.compareAndSet(false, true)) {
            note(Kind.TOLD, "how", "question");
        }
        return belief.held();
    }

    private void release(HeldLock held, AtomicBoolean told) throws InterruptedException {
        note(Kind.RELEASING);
        try {
            if (held.release()) {
                note(Kind.RELEASED);
            } else if (told.compareAndSet(false, true)) {
                note(Kind.TOLD, "how", "release");
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            note(Kind.RELEASE_FAILED, "why", Texts.of(e));
        }
    }
}
