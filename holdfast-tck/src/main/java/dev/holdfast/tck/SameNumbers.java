package dev.holdfast.tck;

import dev.holdfast.spi.Environment;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/** The environment of a copied process: every copy draws the same numbers in the same order. */
final class SameNumbers implements Environment {
    private final Environment real;
    private final ReentrantLock lock = new ReentrantLock();
    private final SplittableRandom numbers = new SplittableRandom(4711);

    SameNumbers(Environment real) {
        this.real = real;
    }

    @Override
    public RandomGenerator random() {
        return this::next;
    }

    private long next() {
        lock.lock();
        try {
            return numbers.nextLong();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long nanoTime() {
        return real.nanoTime();
    }

    @Override
    public long wallMicros() {
        return real.wallMicros();
    }

    @Override
    public Scheduled schedule(long delayNanos, Runnable task) {
        return real.schedule(delayNanos, task);
    }

    @Override
    public Executor blocking() {
        return real.blocking();
    }
}
