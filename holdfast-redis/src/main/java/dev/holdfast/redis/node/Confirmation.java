package dev.holdfast.redis.node;

import java.time.Duration;
import java.util.List;

/**
 * Who has to have a grant before it counts: so many replicas, in memory or on their disks, within that time.
 *
 * @param onDisk whether the server itself and those replicas must have written it to their append-only files (WAITAOF, Redis 7.2);
 *     otherwise replicas must have received it (WAIT)
 */
public record Confirmation(int replicas, boolean onDisk, Duration within) {
    /** The command that waits for it, and its arguments. */
    public String command() {
        return onDisk ? "WAITAOF" : "WAIT";
    }

    public String[] arguments() {
        String number = Integer.toString(replicas);
        String millis = Long.toString(within.toMillis());
        return onDisk ? new String[] {"1", number, millis} : new String[] {number, millis};
    }

    public boolean isReached(List<Object> answer) {
        return onDisk
                ? answer.size() >= 2 && (long) answer.get(0) >= 1 && (long) answer.get(1) >= replicas
                : !answer.isEmpty() && (long) answer.get(0) >= replicas;
    }

    /** For people: who confirmed it, and who should have. */
    public String shortfall(List<Object> answer) {
        if (!onDisk) {
            return answer.get(0) + " of " + replicas + " replicas have confirmed the grant within " + within.toMillis()
                    + " ms";
        }
        boolean local = (long) answer.get(0) >= 1;
        return (local ? "the server has" : "the server has not") + " written the grant to its disk within "
                + within.toMillis() + " ms, and " + answer.get(1) + " of " + replicas + " replicas have";
    }
}
