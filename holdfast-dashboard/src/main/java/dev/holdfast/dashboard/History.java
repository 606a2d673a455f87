package dev.holdfast.dashboard;

import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.dashboard.json.LockJson;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the console has seen of each lock, the newest last. Bounded: each keeps its last entries, and all together keep those that were
 * seen last. Not safe for use by many threads: the board guards it.
 */
final class History {
    static final int MOST_OF_A_NAME = 50;
    private static final int MOST = 50_000;
    private static final int MOST_PERIODS = 100;

    /** What can be seen of a lock from outside. */
    enum Kind {
        /** It was held when the console began to look. */
        FOUND,
        /** It was free, or held by another, a moment ago. */
        TAKEN,
        /** Before its lease was over. */
        RELEASED,
        /** Its lease was over. */
        ENDED,
        /** Through this console. */
        BROKEN,
        /** Somebody tried to break it through this console, and the store did not answer. */
        PERHAPS_BROKEN
    }

    private record Entry(Instant at, Kind kind, String part, Map<String, Object> holder, String tokens, String by) {
        Map<String, Object> json() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("at", at.toString());
            fields.put("kind", kind.name().toLowerCase(Locale.ROOT));
            if (!part.isEmpty()) {
                fields.put("part", part);
            }
            fields.put("holder", holder);
            fields.put("tokens", tokens);
            if (!by.isEmpty()) {
                fields.put("by", by);
            }
            return fields;
        }
    }

    /** From when to when the console looked. */
    private static final class Period {
        final Instant from;
        Instant to;

        Period(Instant from) {
            this.from = from;
            this.to = from;
        }
    }

    private final LinkedHashMap<LockKey, Deque<Entry>> keys = new LinkedHashMap<>(16, 0.75f, true);
    private final Deque<Period> periods = new ArrayDeque<>();
    private int size;

    void add(Kind kind, LockState state, Instant at, String by) {
        Deque<Entry> entries = keys.computeIfAbsent(state.key(), key -> new ArrayDeque<>());
        entries.addLast(new Entry(
                at,
                kind,
                part(state),
                LockJson.of(state.holder()),
                state.tokens().toString(),
                by));
        size++;
        if (entries.size() > MOST_OF_A_NAME) {
            entries.removeFirst();
            size--;
        }
        while (size > MOST) {
            Iterator<Deque<Entry>> eldest = keys.values().iterator();
            size -= eldest.next().size();
            eldest.remove();
        }
    }

    private static String part(LockState state) {
        return switch (state.key().kind()) {
            case LOCK -> "";
            case SEMAPHORE -> "slot " + state.slot();
            case READ_WRITE_LOCK -> state.shared() ? "reader" : "writer";
        };
    }

    /** The console has looked at the store. */
    void looked(boolean afterPause, Instant at) {
        if (afterPause || periods.isEmpty()) {
            periods.addLast(new Period(at));
            if (periods.size() > MOST_PERIODS) {
                periods.removeFirst();
            }
        }
        periods.getLast().to = at;
    }

    Map<String, Object> json(LockKey key) {
        Collection<Entry> entries = keys.getOrDefault(key, new ArrayDeque<>());
        List<Map<String, Object>> watched = new ArrayList<>();
        periods.forEach(each -> watched.add(Map.of("from", each.from.toString(), "to", each.to.toString())));
        return Map.of("events", entries.stream().map(Entry::json).toList(), "watched", watched);
    }

    int size() {
        return size;
    }
}
