package dev.holdfast.lab.client;

/** Threads that keep nobody alive: the process ends with its standard input. */
final class Daemons {
    private Daemons() {}

    static Thread thread(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }
}
