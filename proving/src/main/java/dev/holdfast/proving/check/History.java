package dev.holdfast.proving.check;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import dev.holdfast.proving.log.LogReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The events of one lock name in one trial, put together. */
public final class History {
    private static final Set<Kind> ANSWERS = Set.of(Kind.GRANT, Kind.BUSY, Kind.UNAVAILABLE);

    private static final Set<Kind> SHOWN = Set.of(
            Kind.GRANT,
            Kind.TOLD,
            Kind.REFUSED,
            Kind.WROTE,
            Kind.BREAKING,
            Kind.FAULT,
            Kind.HEALED,
            Kind.MENDED,
            Kind.KILLED,
            Kind.FROZEN,
            Kind.THAWED,
            Kind.END);
    /** What follows is no part of a fault any more. */
    private static final Set<Kind> ENDS = Set.of(Kind.THAWED, Kind.KILLED, Kind.MENDED);

    /**
     * As long as a lease is in these trials. A holder that comes back may still do what its documents warn of, to others who asked
     * after that.
     */
    private static final long AFTERMATH_NANOS = 3_000_000_000L;

    private final List<Event> events;
    private final long beginsAt;
    private final long endsAt;
    private final Map<String, Long> killedAt = new LinkedHashMap<>();
    private final Map<String, List<Span>> frozen = new LinkedHashMap<>();
    private final Map<String, List<Span>> stalls = new LinkedHashMap<>();
    private final List<Hold> holds = new ArrayList<>();
    private final List<Attempt> attempts = new ArrayList<>();

    public History(List<Event> unsorted) {
        events = LogReader.sorted(unsorted);
        beginsAt = events.isEmpty() ? 0 : events.get(0).nanos();
        endsAt = first(Kind.END)
                .orElse(events.isEmpty() ? 0 : events.get(events.size() - 1).nanos());
        readProcesses();
        readSections();
    }

    private History(History whole, boolean withHolds) {
        events = withHolds
                ? whole.events.stream()
                        .filter(each -> SHOWN.contains(each.kind()))
                        .toList()
                : List.of();
        beginsAt = whole.beginsAt;
        endsAt = whole.endsAt;
        if (withHolds) {
            frozen.putAll(whole.frozen);
            stalls.putAll(whole.stalls);
            holds.addAll(whole.holds);
        }
    }

    /** What a picture of violations needs of it, and nothing if there are none: a run of an hour must fit into memory. */
    public History forPictures(boolean withViolations) {
        return new History(this, withViolations);
    }

    private OptionalLong first(Kind kind) {
        return events.stream()
                .filter(each -> each.kind() == kind)
                .mapToLong(Event::nanos)
                .findFirst();
    }

    private void readProcesses() {
        Map<String, Long> frozenSince = new LinkedHashMap<>();
        for (Event event : events) {
            switch (event.kind()) {
                case KILLED -> killedAt.putIfAbsent(event.client(), event.nanos());
                case FROZEN -> frozenSince.put(event.client(), event.nanos());
                case THAWED -> {
                    Long since = frozenSince.remove(event.client());
                    if (since != null) {
                        add(frozen, event.client(), new Span(since, event.nanos()));
                    }
                }
                case STALL ->
                    add(stalls, event.client(), new Span(event.number("from").orElse(event.nanos()), event.nanos()));
                default -> {
                    // About a section, or about the store.
                }
            }
        }
        // Who was killed while it stood still was never thawed.
        frozenSince.forEach((client, since) -> add(frozen, client, new Span(since, Long.MAX_VALUE)));
    }

    private static void add(Map<String, List<Span>> spans, String client, Span span) {
        spans.computeIfAbsent(client, each -> new ArrayList<>()).add(span);
    }

    private void readSections() {
        Map<Section, HoldReader> readers = new LinkedHashMap<>();
        Map<Section, Event> asked = new LinkedHashMap<>();
        for (Event event : events) {
            if (event.section() == 0 || event.kind() == Kind.APPLIED) {
                continue;
            }
            Section section = new Section(event.client(), event.section());
            readers.computeIfAbsent(section, each -> new HoldReader(each, overAt(each.client())))
                    .read(event);
            if (event.kind() == Kind.ATTEMPT) {
                asked.put(section, event);
            } else if (ANSWERS.contains(event.kind())) {
                addAttempt(section, asked.remove(section), event);
            }
        }
        asked.forEach((section, event) -> addAttempt(section, event, null));
        readers.values().forEach(reader -> reader.hold().ifPresent(holds::add));
        holds.sort(Comparator.comparingLong(Hold::grantedAt));
        attempts.sort(Comparator.comparingLong(Attempt::beganAt));
    }

    private void addAttempt(Section section, @Nullable Event asked, @Nullable Event answer) {
        if (asked != null) {
            attempts.add(new Attempt(
                    section,
                    asked.nanos(),
                    asked.number("wait").orElse(0) * 1_000_000,
                    answer == null ? OptionalLong.empty() : OptionalLong.of(answer.nanos()),
                    answer != null && answer.kind() == Kind.BUSY));
        }
    }

    /** When a client stopped to do anything: it was killed, by a fault or because it did not stop at the end. */
    long overAt(String client) {
        return killedAt.getOrDefault(client, Long.MAX_VALUE);
    }

    /** Whether a fault killed it. One that is killed after the end did not come back from a call: that is no excuse. */
    boolean isKilled(String client) {
        return overAt(client) <= endsAt;
    }

    public List<Event> events() {
        return events;
    }

    public long beginsAt() {
        return beginsAt;
    }

    public long endsAt() {
        return endsAt;
    }

    public List<Hold> holds() {
        return holds;
    }

    public List<Attempt> attempts() {
        return attempts;
    }

    public List<Span> frozen(String client) {
        return Span.union(frozen.getOrDefault(client, List.of()));
    }

    /** When this client was not running: frozen by us, or left without a processor by the machine. */
    List<Span> idle(String client) {
        List<Span> all = new ArrayList<>(frozen.getOrDefault(client, List.of()));
        all.addAll(stalls.getOrDefault(client, List.of()));
        all.addAll(stalls.getOrDefault(Event.RUNNER, List.of()));
        return Span.union(all);
    }

    /** When the machine, seen from the runner, stood still. */
    public List<Span> stalls() {
        return Span.union(stalls.getOrDefault(Event.RUNNER, List.of()));
    }

    /** The nanoseconds of a time in which this client could have done something. */
    long running(Span span, String client) {
        return Span.total(Span.without(List.of(span), idle(client)));
    }

    /**
     * The nanoseconds of a time in which nobody is known to have stood still. The lock may be on its way to any of the clients: one that has
     * no processor keeps all others from it.
     */
    long awake(Span span) {
        List<Span> all = stalls.values().stream().flatMap(List::stream).toList();
        return Span.total(Span.without(List.of(span), Span.union(all)));
    }

    /** The nanoseconds of a time in which the machine measurably did something. */
    long unstalled(Span span) {
        return Span.total(Span.without(List.of(span), stalls()));
    }

    /**
     * The faults that can have to do with it: begun before it happened, and not over for long when the first of those involved asked for the
     * lock. Two that hold the lock at once did something wrong when the second came, not when the first left.
     */
    public List<String> faultsBehind(Violation violation) {
        long happened = violation.rule() == Rule.OVERLAP
                ? violation.when().from()
                : violation.when().to();
        long asked = holds.stream()
                .filter(each -> violation.sections().contains(each.section()))
                .mapToLong(Hold::askedAt)
                .min()
                .orElse(Long.MIN_VALUE);
        return events.stream()
                .filter(each -> each.kind() == Kind.BREAKING && each.nanos() < happened && isFeltAt(asked, each))
                .flatMap(each -> each.text("name").stream())
                .distinct()
                .toList();
    }

    private boolean isFeltAt(long nanos, Event breaking) {
        long mended = events.stream()
                .filter(each -> each.kind() == Kind.MENDED
                        && each.nanos() > breaking.nanos()
                        && each.text("name").equals(breaking.text("name")))
                .mapToLong(Event::nanos)
                .findFirst()
                .orElse(Long.MAX_VALUE - AFTERMATH_NANOS);
        return mended + AFTERMATH_NANOS > nanos;
    }

    /** When the last fault was over; the beginning if there was none, empty if it never was. */
    OptionalLong healedAt() {
        long healed = beginsAt;
        int open = 0;
        for (Event event : events) {
            if (event.kind() == Kind.FAULT) {
                open++;
            } else if (event.kind() == Kind.HEALED) {
                open--;
                healed = event.nanos();
            } else if (ENDS.contains(event.kind()) && event.nanos() <= endsAt) {
                healed = Math.max(healed, event.nanos());
            }
        }
        return open > 0 ? OptionalLong.empty() : OptionalLong.of(healed);
    }
}
