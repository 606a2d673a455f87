package dev.holdfast;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The task of a leader while it runs. */
interface LeaderTask {
    /** Tells it to stop; does not wait for that. At most once. Before the start: then it does not run at all. */
    void stop();

    /** Begins to run. Throws if that is not possible; then it does not run and does not end. */
    void start();

    /** Whether this is called by the task. */
    boolean isOnItsThread();

    /** Where it is, for people. */
    String whereabouts();

    /** Makes the tasks of an election. */
    @FunctionalInterface
    interface Runner {
        /**
         * Makes one that has not begun.
         *
         * @param ended called once, when it has ended: with what it threw, or null
         */
        LeaderTask newTask(TenureLease lease, Consumer<@Nullable Throwable> ended);
    }
}
