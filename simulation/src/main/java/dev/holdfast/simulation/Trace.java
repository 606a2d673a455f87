package dev.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What happened. Always as a number, so that two runs can be compared; as words only where somebody is going to read them.
 */
final class Trace {
    /** Lanes of the picture, and who did it. */
    record Line(long atNanos, String who, Kind kind, String name, long token, String text) {
        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%10.3f s  %-9s %s", atNanos / 1e9, who, text);
        }
    }

    /** What the picture draws; the rest is only told. */
    enum Kind {
        TOLD,
        FAULT,
        PAUSE_ENDS,
        ASKED,
        LEASE,
        VALIDITY_ENDED,
        CLOSED,
        TAKEN,
        FREED,
        WRITE,
        REFUSED_WRITE,
        BROKEN
    }

    final boolean telling;
    private final List<Line> lines = new ArrayList<>();
    private long hash = 0xcbf29ce484222325L;

    Trace(boolean telling) {
        this.telling = telling;
    }

    /** Something happened at that time to somebody. */
    void mark(long atNanos, long who, long what) {
        hash = (((hash ^ atNanos) * 0x100000001b3L ^ who) * 0x100000001b3L ^ what) * 0x100000001b3L;
        hash ^= hash >>> 29;
    }

    void tell(long atNanos, String who, Kind kind, String name, long token, String text) {
        lines.add(new Line(atNanos, who, kind, name, token, text));
    }

    void tell(long atNanos, String who, String text) {
        tell(atNanos, who, Kind.TOLD, "", 0, text);
    }

    long hash() {
        return hash;
    }

    List<Line> lines() {
        return lines;
    }
}
