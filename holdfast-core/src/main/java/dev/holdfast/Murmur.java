package dev.holdfast;

import dev.holdfast.spi.Environment;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A log that does not shout: of each kind of message one line in ten seconds, saying how many it left out. */
final class Murmur {
    private static final Logger LOG = LoggerFactory.getLogger(Holdfast.class);
    private static final long PAUSE_NANOS = 10_000_000_000L;

    private static final int MOST_KINDS = 100;

    private record Kind(long sinceNanos, int leftOut) {}

    private final Environment environment;
    // A handful of kinds of ours, and the places that backends name; bounded, should one invent them.
    private final ConcurrentHashMap<String, Kind> kinds = new ConcurrentHashMap<>();

    Murmur(Environment environment) {
        this.environment = environment;
    }

    void warn(String kind, String message, Throwable cause) {
        int leftOut = admit(kind);
        if (leftOut >= 0) {
            LOG.warn("{}{}", message, more(leftOut), cause);
        }
    }

    void warn(String kind, String message) {
        int leftOut = admit(kind);
        if (leftOut >= 0) {
            LOG.warn("{}{}", message, more(leftOut));
        }
    }

    void bug(Throwable bug) {
        LOG.error("A bug in Holdfast or in its backend; please report it", bug);
    }

    private static String more(int leftOut) {
        return leftOut == 0 ? "" : " (and " + leftOut + " more of this kind since the last such line)";
    }

    /** How many were left out since the last line of this kind, or -1 if this one is to be left out too. */
    private int admit(String kind) {
        long now = environment.nanoTime();
        int[] leftOut = {-1};
        if (kinds.size() >= MOST_KINDS) {
            kinds.clear();
        }
        kinds.compute(kind, (key, last) -> {
            if (last != null && now - last.sinceNanos() < PAUSE_NANOS) {
                return new Kind(last.sinceNanos(), last.leftOut() + 1);
            }
            leftOut[0] = last == null ? 0 : last.leftOut();
            return new Kind(now, 0);
        });
        return leftOut[0];
    }
}
