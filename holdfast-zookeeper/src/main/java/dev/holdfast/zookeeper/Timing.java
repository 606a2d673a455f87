package dev.holdfast.zookeeper;

import dev.holdfast.spi.Validity;
import java.time.Duration;

/**
 * How long a session may be trusted, from what the servers are set to. A client can read neither.
 *
 * @param tick the servers' {@code tickTime}
 * @param syncLimit the servers' {@code syncLimit}: so many ticks a follower and its leader bear with each other's silence
 */
record Timing(Duration tick, int syncLimit) {
    private static final long LONGEST_BEAT_NANOS = 2_000_000_000L;
    private static final int BEATS_PER_SESSION = 15;

    /** How long a server can go on answering after the leader has heard the last of it. */
    long marginNanos() {
        return syncLimit * tick.toNanos() + tick.toNanos() / 2;
    }

    /** How often the client sends something, so that the servers know that it lives. */
    static long beatNanos(Duration session) {
        return Math.min(LONGEST_BEAT_NANOS, session.toNanos() / BEATS_PER_SESSION);
    }

    /** What is left of a session, at least, while all is well: two beats may be under way. */
    long usableNanos(Duration session) {
        return session.toNanos() - marginNanos() - 2 * beatNanos(session) - Validity.driftNanos(session);
    }

    boolean leavesNothingOf(Duration session) {
        return usableNanos(session) <= 0;
    }

    /** What to say about a session that is too short. */
    String explainTooShort(Duration session) {
        // Solved for the session: two beats are at most two fifteenths of it, the drift a hundredth.
        long needed = (long) Math.ceil((marginNanos() + 2_000_000) / (1 - 2.0 / BEATS_PER_SESSION - 0.01) / 1e9);
        return "A session of " + session.toMillis() + " ms is too short: with tickTime " + tick.toMillis()
                + " ms and syncLimit " + syncLimit
                + " the leader may give it up while another server still answers for "
                + marginNanos() / 1_000_000 + " ms. Ask for sessionTimeout of more than " + needed
                + " s (and let the servers' maxSessionTimeout allow it), or, if the servers are set to less, say so with"
                + " tickTime and syncLimit.";
    }
}
