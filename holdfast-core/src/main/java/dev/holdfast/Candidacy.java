package dev.holdfast;

/**
 * One part in an election, from {@link LeaderElection#start} until it is closed: competes, leads, competes again. Safe for use by
 * many threads.
 */
public final class Candidacy implements AutoCloseable {
    private final Engine engine;
    private final ElectionState state;

    Candidacy(Engine engine, ElectionState state) {
        this.engine = engine;
        this.state = state;
    }

    /** The name of the election. */
    public String name() {
        return state.name;
    }

    /**
     * Whether this one leads: its task runs, was not told to stop, and its lease may be trusted. Does no I/O. Who needs to be
     * certain asks the resource, which compares tokens.
     */
    public boolean isLeader() {
        return state.isLeading();
    }

    /**
     * Lets the next one in: tells the task to stop, gives the leadership back as soon as it has ended, and competes again behind
     * those who wait. Does nothing if this one does not lead. Does not block.
     */
    public void resign() {
        state.resign();
    }

    /**
     * Takes part no longer. If this one leads, its task is told to stop, and the leadership is given back as soon as the task has
     * ended. Waits for that, at most for {@link Holdfast.Builder#closeGrace}, except on the task's own thread. If the task has not
     * ended by then, it keeps the leadership until it does, because nobody else may lead while it works; the log names it. An
     * interrupt is kept and does not stop this. A second call waits likewise.
     */
    @Override
    public void close() {
        state.close();
        if (engine.environment.timePasses() && !state.isOnTaskThread()) {
            engine.awaitQuietly(state.over(), engine.settings.closeGrace().toNanos());
            state.reportIfStillRunning();
        }
    }

    @Override
    public String toString() {
        return "Candidacy for '" + state.name + "', " + state;
    }
}
