package dev.holdfast.lab.stage;

import dev.holdfast.lab.wire.Lane;
import java.util.EnumMap;
import java.util.Map;

/** A server, as it is seen. Guarded by the {@link Board}. */
public final class ServerView {
    public final int port;
    public Condition condition = Condition.DOWN;
    /** Whether it gives its vote to Holdfast: not while it may have forgotten something. */
    public boolean votes;
    /** For how long it has been watched since it came back, and for how long it must be. */
    public long watchedMillis;

    public long watchForMillis;
    /** By how much its clock is ahead of that of this machine. */
    public long aheadMillis;

    public int clockRate = 1;
    /** How often it was started. */
    int starts;

    public final Map<Lane, Vote> kept = new EnumMap<>(Lane.class);

    /** What was done to it. */
    public enum Condition {
        UP,
        DOWN,
        FROZEN
    }

    ServerView(int port) {
        this.port = port;
    }
}
