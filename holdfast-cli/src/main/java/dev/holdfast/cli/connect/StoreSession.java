package dev.holdfast.cli.connect;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.cli.events.Event;
import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.Console;
import dev.holdfast.cli.output.Durations;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Opens a store for one command, and closes it afterwards. */
public final class StoreSession {
    private static final Duration USUAL_LEASE = Duration.ofSeconds(30);
    private static final Duration USUAL_LONGEST_LEASE = Duration.ofSeconds(60);
    /** The library's own limit. */
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

    private static final Duration LONGEST_CLOSE = Duration.ofMillis(500);

    private StoreSession() {}

    /** What a command does with the open store. */
    @FunctionalInterface
    public interface Work {
        int with(Holdfast holdfast) throws InterruptedException;
    }

    /** What a command does that waits for a lock. */
    @FunctionalInterface
    public interface WaitingWork {
        /**
         * Waits for the lock, and does what it is for.
         *
         * @param left how long the lock may be waited for; null: no limit
         * @param answer what the store will answer to the release of the lock
         */
        int with(Holdfast holdfast, @Nullable Duration left, ReleaseAnswer answer) throws InterruptedException;
    }

    /** For commands that do not wait for a lock: they try to connect once. */
    public static int with(Store store, Work work) throws InterruptedException {
        return namingTheStore(store, () -> {
            // What an operator does is recorded with who did it.
            String operator = "holdfast, " + Operator.here(System.getenv());
            Holdfast holdfast = builder(FirstConnection.once(store), USUAL_LEASE)
                    .describedAs(operator)
                    .build();
            Closing closing = new Closing(holdfast);
            try {
                return work.with(holdfast);
            } finally {
                closing.begin();
            }
        });
    }

    /** For commands that wait for a lock: the first connection is part of the waiting. A signal ends it, with its exit code. */
    public static int with(
            Store store,
            Duration lease,
            @Nullable Duration maxWait,
            BlockingQueue<Event> events,
            Console console,
            WaitingWork work)
            throws InterruptedException {
        requireLease(store, lease);
        return namingTheStore(store, () -> {
            FirstConnection connecting = new FirstConnection(store, maxWait, events, console);
            Event.Signalled signal = connecting.await();
            if (signal != null) {
                return ExitCode.ofSignal(signal.number());
            }
            ReleaseAnswer answer = new ReleaseAnswer(connecting.backend());
            Holdfast holdfast = builder(answer.backend(), lease).build();
            Closing closing = new Closing(holdfast);
            try {
                return work.with(holdfast, connecting.leftForTheLock(), answer);
            } finally {
                closing.begin();
            }
        });
    }

    /**
     * Sends what is still to be sent, such as the withdrawal from a queue. A store that does not answer must not keep us:
     * whoever set a limit wants to go on. The process ends soon, and with it whatever is left.
     *
     * <p>Its thread starts before the work. Where there are no more threads to be had, that is found out before a command
     * runs whose exit code would be lost.
     */
    private static final class Closing {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final Thread thread;

        Closing(Holdfast holdfast) {
            thread = new Thread(
                    () -> {
                        try {
                            begun.await();
                            holdfast.close();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    },
                    "holdfast-closing");
            thread.setDaemon(true);
            thread.start();
        }

        void begin() throws InterruptedException {
            begun.countDown();
            thread.join(LONGEST_CLOSE.toMillis());
        }
    }

    /** Refuses a wrong --lease before the store is asked. */
    private static void requireLease(Store store, Duration lease) {
        if (lease.compareTo(SHORTEST_LEASE) < 0) {
            throw new CliException(
                    ExitCode.USAGE,
                    "--lease must be at least " + Durations.text(SHORTEST_LEASE) + ": " + lease.toMillis()
                            + " ms is too short.");
        }
        if (lease.compareTo(store.longestLease()) > 0) {
            throw new CliException(
                    ExitCode.USAGE,
                    "--lease must be at most " + Durations.text(store.longestLease()) + " at this store: "
                            + Durations.text(lease)
                            + " is too long. The lease is renewed while the command runs, however long that takes; it is how"
                            + " long the lock stays taken if this machine dies.");
        }
    }

    /** Adds the URL of the store to every failure. */
    public static <T> T namingTheStore(Store store, Attempt<T> attempt) throws InterruptedException {
        try {
            return attempt.run();
        } catch (HoldfastException | NotSentException | RefusedException e) {
            throw unavailable(store, e);
        }
    }

    /** Something that may fail because of the store. */
    @FunctionalInterface
    public interface Attempt<T> {
        T run() throws InterruptedException;
    }

    static CliException unavailable(Store store, RuntimeException failure) {
        String why = store.explain(failure);
        return new CliException(
                ExitCode.UNAVAILABLE, why + (why.endsWith(".") ? "" : ".") + " The store: " + store.label());
    }

    private static Holdfast.Builder builder(LockBackend backend, Duration lease) {
        return Holdfast.builder(backend)
                // One lease per process: tokens reserved for more would only be skipped.
                .cohort(1)
                .lease(lease)
                .maxLease(lease.compareTo(USUAL_LONGEST_LEASE) > 0 ? lease : USUAL_LONGEST_LEASE)
                .closeGrace(Duration.ofSeconds(1));
    }
}
