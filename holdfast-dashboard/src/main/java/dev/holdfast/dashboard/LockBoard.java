package dev.holdfast.dashboard;

import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.dashboard.History.Kind;
import dev.holdfast.dashboard.json.LockJson;
import dev.holdfast.dashboard.web.Event;
import dev.holdfast.dashboard.web.Viewer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The held locks as the browsers see them. Each look at the store is compared with the one before, and only what differs is sent.
 *
 * <p>Everything is guarded by this. Publishing under the lock does no I/O, and a browser that joins under it misses nothing.
 */
final class LockBoard {
    /** A renewal moves the end of a lease by more than that; the time that a look takes does not. */
    private static final long MOVED_MILLIS = 300;
    /** Tenures that were shown and are over: whoever asks to break one of them is told so. */
    private static final int MOST_FORMER = 1000;

    /** How much later than planned the next look may come before the console says that it did not look meanwhile. */
    private static final Duration GRACE = Duration.ofSeconds(3);

    /** What a page shows of the record. */
    private static final int MOST_RECORDED = 20;

    private final Consumer<Event> browsers;
    private final boolean queueIsKnown;
    private final LongSupplier nanoTime;
    private final long began;
    private final History history = new History();
    private Map<Place, Row> rows = new LinkedHashMap<>();
    private final Map<String, LockState> byId = new HashMap<>();
    private final Map<String, LockState> former = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, LockState> eldest) {
            return size() > MOST_FORMER;
        }
    };
    /** Tenures that are being broken here, and whether the store has shown meanwhile that they are gone. */
    private final Map<String, Boolean> breaking = new HashMap<>();
    /** Tenures that were broken here, and that the store has not been asked about since. */
    private final Set<String> broken = new HashSet<>();
    /** Tenures that somebody tried to break here without an answer, and whether the store was seen to have them after that. */
    private final Map<String, Boolean> perhapsBroken = new HashMap<>();
    /** Who broke what here, the newest first. */
    private final Deque<Map<String, Object>> record = new ArrayDeque<>();

    private boolean complete = true;
    private boolean looked;
    private long lookedMillis;
    /** How long after the last look what it has shown counts as seen. The pause after a slow answer is long, and planned. */
    private long freshMillis;
    /** Whether the browsers were told all that the last look has shown. */
    private boolean told = true;

    private Map<String, Object> lastLook = Map.of();
    private @Nullable Event whole;

    LockBoard(Consumer<Event> browsers, boolean queueIsKnown) {
        this(browsers, queueIsKnown, System::nanoTime);
    }

    LockBoard(Consumer<Event> browsers, boolean queueIsKnown, LongSupplier nanoTime) {
        this.browsers = browsers;
        this.queueIsKnown = queueIsKnown;
        this.nanoTime = nanoTime;
        this.began = nanoTime.getAsLong();
    }

    /**
     * A holder as it was last told.
     *
     * @param id stands for the tenure in the page, instead of the owner: whoever knows that could release the lock
     * @param endMillis when it ends unless renewed, by {@link #nowMillis}
     * @param fullMillis the most that was ever left of it, as far as was seen: what the bar is a part of
     */
    private record Row(String id, LockState state, long endMillis, long fullMillis) {
        /** What the page knows it by. */
        String place() {
            return Place.of(state).text(id);
        }

        boolean sameTenure(LockState other) {
            return state.tenure().equals(other.tenure());
        }

        boolean tellsTheSame(Row other) {
            return id.equals(other.id)
                    && Math.abs(endMillis - other.endMillis) < MOVED_MILLIS
                    && state.holder().equals(other.state.holder())
                    && state.tokens().equals(other.state.tokens())
                    && state.waiters().equals(other.state.waiters())
                    && state.votes().equals(other.state.votes());
        }
    }

    private long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - began);
    }

    /**
     * The store has answered.
     *
     * @param pause how long it will not be asked after this
     */
    synchronized void update(List<LockState> states, boolean all, Duration took, Duration pause) {
        Instant at = Instant.now();
        long now = nowMillis();
        boolean afterPause = !looked || now - lookedMillis > freshMillis + took.toMillis();
        // An error may end this anywhere. The rows are replaced in one step, and whoever was not told what has changed
        // is told everything by the next look.
        boolean missed = !told;
        told = false;
        history.looked(afterPause, at);
        List<Object> set = new ArrayList<>();
        Map<Place, Row> next = new LinkedHashMap<>();
        for (LockState state : states) {
            Place place = Place.of(state);
            Row before = rows.get(place);
            Row row = row(before, state, now);
            if (before == null || !before.id().equals(row.id())) {
                replaced(before, now, at);
                byId.put(row.id(), state);
                history.add(afterPause ? Kind.FOUND : Kind.TAKEN, state, at, "");
            } else if (Boolean.TRUE.equals(perhapsBroken.replace(row.id(), true))) {
                // Shown twice: the first of these looks may have begun before the attempt, the second did not.
                perhapsBroken.remove(row.id());
            }
            boolean same = before != null && before.tellsTheSame(row);
            next.put(place, same ? before : row);
            if (!same) {
                set.add(json(row));
            }
        }
        List<Object> gone = new ArrayList<>();
        rows.forEach((place, row) -> {
            if (!next.containsKey(place)) {
                gone.add(row.place());
                replaced(row, now, at);
            }
        });
        rows = next;
        boolean otherExtent = complete != all;
        complete = all;
        looked = true;
        lookedMillis = now;
        freshMillis = GRACE.plus(pause).toMillis();
        lastLook = Map.of("ok", true, "tookMillis", took.toMillis(), "count", rows.size());
        if (afterPause || otherExtent || missed) {
            whole = null;
            browsers.accept(clock());
            browsers.accept(whole());
        } else if (!set.isEmpty() || !gone.isEmpty()) {
            whole = null;
            browsers.accept(Event.of("change", Map.of("set", set, "gone", gone)));
        }
        browsers.accept(Event.of("look", lastLook));
        told = true;
    }

    private Row row(@Nullable Row before, LockState state, long now) {
        long left = state.remaining().toMillis();
        return before != null && before.sameTenure(state)
                ? new Row(before.id(), state, now + left, Math.max(before.fullMillis(), left))
                : new Row(UUID.randomUUID().toString(), state, now + left, left);
    }

    /** A tenure that was shown is over. */
    private void replaced(@Nullable Row row, long now, Instant at) {
        if (row == null) {
            return;
        }
        byId.remove(row.id());
        former.put(row.id(), row.state());
        if (broken.contains(row.id()) || breaking.computeIfPresent(row.id(), (id, gone) -> true) != null) {
            // It was broken here, or will be said to be, once the answer has come.
            broken.remove(row.id());
            return;
        }
        if (perhapsBroken.remove(row.id()) != null) {
            // The history says so already, and nobody knows that it was released.
            return;
        }
        history.add(now < row.endMillis() ? Kind.RELEASED : Kind.ENDED, row.state(), at, "");
    }

    /** The store has not answered. */
    synchronized void failed(String why) {
        lastLook = Map.of("ok", false, "why", why);
        browsers.accept(Event.of("look", lastLook));
    }

    /** A tenure is about to be ended through this console. Followed by one of the next three. */
    synchronized void breaking(String id) {
        breaking.put(id, false);
    }

    /** A tenure was ended through this console. */
    synchronized void broken(String id, LockState ended, String by, String line) {
        if (Boolean.FALSE.equals(breaking.remove(id)) && byId.containsKey(id)) {
            broken.add(id);
        }
        recorded(Kind.BROKEN, ended, by, line);
    }

    /** The store did not answer: it may have been ended through this console. */
    synchronized void perhapsBroken(String id, LockState seen, String by, String line) {
        if (Boolean.FALSE.equals(breaking.remove(id)) && byId.containsKey(id)) {
            perhapsBroken.put(id, false);
        }
        recorded(Kind.PERHAPS_BROKEN, seen, by, line);
    }

    private void recorded(Kind kind, LockState state, String by, String line) {
        Instant at = Instant.now();
        history.add(kind, state, at, by);
        Map<String, Object> entry = Map.of("at", at.toString(), "line", line);
        record.addFirst(entry);
        if (record.size() > MOST_RECORDED) {
            record.removeLast();
        }
        browsers.accept(Event.of("audit", entry));
    }

    /** It was not. */
    synchronized void notBroken(String id) {
        LockState gone = former.get(id);
        if (Boolean.TRUE.equals(breaking.remove(id)) && gone != null) {
            history.add(Kind.RELEASED, gone, Instant.now(), "");
        }
    }

    synchronized void join(Viewer viewer) {
        List<Event> first = new ArrayList<>();
        first.add(clock());
        if (!record.isEmpty()) {
            first.add(Event.of("record", Map.of("entries", List.copyOf(record))));
        }
        // What was seen long ago is not shown: the look that begins now tells everybody. During the pause after a slow
        // answer no look begins for a while, and a new page sees what the others see.
        boolean fresh = looked && nowMillis() - lookedMillis < freshMillis;
        if (fresh) {
            first.add(whole());
        }
        if (!lastLook.isEmpty() && (fresh || Boolean.FALSE.equals(lastLook.get("ok")))) {
            first.add(Event.of("look", lastLook));
        }
        viewer.join(first);
    }

    /** What this id was shown for, whether or not it is over. */
    synchronized Optional<LockState> shown(String id) {
        return Optional.ofNullable(byId.getOrDefault(id, former.get(id)));
    }

    synchronized Map<String, Object> history(LockKey key) {
        return history.json(key);
    }

    private Event clock() {
        return Event.of("clock", Map.of("now", nowMillis(), "wall", System.currentTimeMillis()));
    }

    private Event whole() {
        if (whole == null) {
            List<Object> all = new ArrayList<>(rows.size());
            rows.values().forEach(row -> all.add(json(row)));
            whole = Event.of("locks", Map.of("locks", all, "complete", complete));
        }
        return whole;
    }

    private Map<String, Object> json(Row row) {
        Map<String, Object> fields = LockJson.of(row.state(), queueIsKnown);
        fields.put("place", row.place());
        fields.put("id", row.id());
        fields.put("end", row.endMillis());
        fields.put("full", row.fullMillis());
        return fields;
    }
}
