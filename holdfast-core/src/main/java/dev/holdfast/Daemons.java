package dev.holdfast;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that do not keep the process alive, numbered under one name. */
final class Daemons implements ThreadFactory {
    private final String name;
    private final AtomicInteger count = new AtomicInteger();

    Daemons(String name) {
        this.name = name;
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }
}
