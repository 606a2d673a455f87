package dev.holdfast.lab.stage;

import dev.holdfast.lab.wire.Message;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One lock of one client, as the client has told. Guarded by the {@link Board}. */
public final class LaneView {
    public State state = State.IDLE;
    public long token;
    public int votes;
    public long leaseMillis;
    public long leftMillis;
    private final Map<String, Integer> counts = new HashMap<>();
    private final Map<String, Message> latest = new HashMap<>();

    /** As the client believes. */
    public enum State {
        IDLE,
        ASKING,
        WAITING,
        HOLDING,
        LOST
    }

    /** How often the client has told this. */
    public int count(String what) {
        return counts.getOrDefault(what, 0);
    }

    /** What it told last of this kind. */
    public @Nullable Message latest(String what) {
        return latest.get(what);
    }

    void clear() {
        state = State.IDLE;
        token = 0;
        votes = 0;
        leftMillis = 0;
        counts.clear();
        latest.clear();
    }

    void hear(Message message) {
        counts.merge(message.what(), 1, Integer::sum);
        latest.put(message.what(), message);
        switch (message.what()) {
            case "asking" -> state = State.ASKING;
            case "waiting" -> state = state == State.ASKING ? State.WAITING : state;
            case "holding" -> {
                state = State.HOLDING;
                token = message.number("token");
                votes = Math.toIntExact(message.number("votes"));
                leaseMillis = message.number("lease");
                leftMillis = message.number("left");
            }
            case "left", "read" -> leftMillis = message.number("left");
            case "lost" -> {
                // The report of an old loss must not end a later lease.
                if (message.number("token") == token && state == State.HOLDING) {
                    state = State.LOST;
                    leftMillis = 0;
                }
            }
            case "released", "idle" -> {
                state = State.IDLE;
                leftMillis = 0;
            }
            case "busy", "unavailable" -> state = State.WAITING;
            default -> {
                // Counted above.
            }
        }
    }
}
