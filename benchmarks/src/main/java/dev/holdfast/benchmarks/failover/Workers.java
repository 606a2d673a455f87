package dev.holdfast.benchmarks.failover;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that want one name over and over, each time to add one to an account. Measures for how long none of them got it, and for
 * how long one of them did not.
 */
final class Workers {
    private static final int THREADS_PER_CLIENT = 2;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final List<Contestant> clients;
    private final String lock;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong acquired = new AtomicLong();
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong lastNanos = new AtomicLong(System.nanoTime());
    private final AtomicLong longestNanos = new AtomicLong();
    /** By thread: when it got the lock last, and what the longest gap was. Each written by its thread alone, but for the reset. */
    private final AtomicLongArray lastOf;

    private final AtomicLongArray longestOf;
    private volatile boolean stopped;

    Workers(List<Contestant> clients, String lock) {
        this.clients = clients;
        this.lock = lock;
        this.lastOf = new AtomicLongArray(clients.size() * THREADS_PER_CLIENT);
        this.longestOf = new AtomicLongArray(lastOf.length());
    }

    Workers start() {
        for (Contestant client : clients) {
            for (int i = 0; i < THREADS_PER_CLIENT; i++) {
                int number = threads.size();
                lastOf.set(number, System.nanoTime());
                Thread thread = new Thread(() -> work(client, number), client.name() + "-" + number);
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
        }
        return this;
    }

    private void work(Contestant client, int number) {
        while (!stopped) {
            try {
                section(client, number);
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                failures.incrementAndGet();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void section(Contestant client, int number) throws Exception {
        Contestant.Section section = client.enter(lock);
        long now = System.nanoTime();
        longestNanos.accumulateAndGet(now - lastNanos.getAndSet(now), Math::max);
        longestOf.accumulateAndGet(number, now - lastOf.getAndSet(number, now), Math::max);
        acquired.incrementAndGet();
        try {
            section.write(section.read() + 1);
            acknowledged.incrementAndGet();
        } finally {
            section.leave();
        }
    }

    String name() {
        return clients.get(0).name();
    }

    String lock() {
        return lock;
    }

    long acquired() {
        return acquired.get();
    }

    long acknowledged() {
        return acknowledged.get();
    }

    /** Sections that ended with an exception: not acquired, not written, or not released. */
    long failures() {
        return failures.get();
    }

    /** Gaps from now on; one that has begun already counts from its beginning. */
    void forgetGaps() {
        longestNanos.set(0);
        for (int i = 0; i < longestOf.length(); i++) {
            longestOf.set(i, 0);
        }
    }

    /** The one that lasts still included. */
    Duration longestGap() {
        return Duration.ofNanos(Math.max(longestNanos.get(), System.nanoTime() - lastNanos.get()));
    }

    /** Of the thread that went without it the longest. */
    Duration longestWait() {
        long longest = 0;
        for (int i = 0; i < longestOf.length(); i++) {
            longest = Math.max(longest, Math.max(longestOf.get(i), System.nanoTime() - lastOf.get(i)));
        }
        return Duration.ofNanos(longest);
    }

    /** Whether each thread has had the lock since then. */
    boolean areServedSince(long nanos) {
        for (int i = 0; i < lastOf.length(); i++) {
            if (lastOf.get(i) - nanos < 0) {
                return false;
            }
        }
        return true;
    }

    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(70));
        }
    }
}
