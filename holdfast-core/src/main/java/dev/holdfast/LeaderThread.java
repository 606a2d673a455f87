package dev.holdfast;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A task on a thread of its own, so that an interrupt can reach nothing else. Beside it another thread waits to interrupt it: that
 * can close channels and run code of the user, for which the timer has no time. Both are there before the task begins.
 */
final class LeaderThread implements LeaderTask {
    private final TenureLease lease;
    private final CriticalAction<? extends Exception> task;
    private final Consumer<@Nullable Throwable> ended;
    private final Thread thread;
    private final Thread stopper;
    private final CountDownLatch stopperMayEnd = new CountDownLatch(1);
    private volatile boolean told;
    // Guards over. Held while the thread is interrupted: so the interrupt does not reach it after the task.
    private final ReentrantLock lock = new ReentrantLock();
    private boolean over;

    private LeaderThread(
            String name,
            CriticalAction<? extends Exception> task,
            @Nullable ClassLoader loader,
            TenureLease lease,
            Consumer<@Nullable Throwable> ended) {
        this.lease = lease;
        this.task = task;
        this.ended = ended;
        this.thread = daemon("holdfast-leader-" + name, this::run, loader);
        this.stopper = daemon("holdfast-stopper-" + name, this::interruptWhenTold, loader);
    }

    /** @param loader of the thread that begins to take part: the one that brings a lease may have any other */
    static Runner runner(String name, CriticalAction<? extends Exception> task, @Nullable ClassLoader loader) {
        return (lease, ended) -> new LeaderThread(name, task, loader, lease, ended);
    }

    private static Thread daemon(String name, Runnable code, @Nullable ClassLoader loader) {
        Thread thread = new Thread(null, code, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(loader);
        return thread;
    }

    @Override
    public void start() {
        stopper.start();
        try {
            thread.start();
        } catch (Throwable noThread) {
            stopperMayEnd.countDown();
            throw noThread;
        }
    }

    @Override
    public void stop() {
        told = true;
        stopperMayEnd.countDown();
    }

    private void interruptWhenTold() {
        awaitUninterruptibly();
        lock.lock();
        try {
            if (!over) {
                thread.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    private void awaitUninterruptibly() {
        while (true) {
            try {
                stopperMayEnd.await();
                return;
            } catch (InterruptedException e) {
                // Nobody has a reason to; the task must be told all the same.
            }
        }
    }

    private void run() {
        Throwable failure = null;
        try {
            if (!told) {
                task.run(lease);
            }
        } catch (Throwable thrown) {
            failure = thrown;
        }
        lock.lock();
        try {
            over = true;
        } finally {
            lock.unlock();
        }
        stopperMayEnd.countDown();
        // What is left of the interrupt is not for the code that gives the leadership back.
        boolean unused = Thread.interrupted();
        ended.accept(failure);
    }

    @Override
    public boolean isOnItsThread() {
        return Thread.currentThread() == thread;
    }

    /** Where it waits is in the JDK, for the most part; who called that says more. */
    @Override
    public String whereabouts() {
        String at = Arrays.stream(thread.getStackTrace())
                .filter(frame ->
                        frame.getModuleName() == null || !frame.getModuleName().startsWith("java."))
                .findFirst()
                .map(frame -> ", now in " + frame)
                .orElse("");
        return "thread '" + thread.getName() + "'" + at;
    }
}
