package dev.holdfast.proving.check;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** Service: whether a free lock was given to somebody who wanted it, whether calls came back, and whether a lock was left behind. */
final class Waiting {
    /** A client asks again after so long at most, with something to spare: in between it wants the lock, too. */
    private static final long PAUSE_NANOS = 50_000_000;

    private final History history;
    private final Limits limits;
    private final List<Violation> found = new ArrayList<>();

    Waiting(History history, Limits limits) {
        this.history = history;
        this.limits = limits;
        OptionalLong healed = history.healedAt();
        if (healed.isPresent()) {
            checkService(healed.getAsLong());
            checkCalls(healed.getAsLong());
            checkReleases(healed.getAsLong());
        }
        checkLeftBehind();
    }

    List<Violation> violations() {
        return found;
    }

    /** The times in which nobody believed to hold the lock, until the end of work. */
    private List<Span> gaps(long from) {
        List<Span> held = new ArrayList<>();
        history.holds().forEach(hold -> held.addAll(hold.believed()));
        return Span.without(List.of(new Span(from, history.endsAt())), Span.union(held));
    }

    long longestGapNanos() {
        return history.holds().isEmpty()
                ? Math.max(0, history.endsAt() - history.beginsAt())
                : gaps(history.holds().get(0).grantedAt()).stream()
                        .mapToLong(Span::nanos)
                        .max()
                        .orElse(0);
    }

    /** Of these times the ones in which the lock was free. Who was told that it may be gone has not given it back. */
    private List<Span> free(long from) {
        return Span.without(
                gaps(from),
                Span.union(history.holds().stream().map(Hold::inDoubt).toList()));
    }

    /** Nobody held it although somebody wanted it. What the machine measurably slept through does not count. */
    private void checkService(long healedAt) {
        List<Span> wanted = Span.union(history.attempts().stream()
                .filter(each -> !history.isKilled(each.section().client()))
                .map(each -> new Span(
                        each.beganAt(),
                        each.answeredAt().isPresent() ? each.answeredAt().getAsLong() + PAUSE_NANOS : history.endsAt()))
                .toList());
        for (Span gap : free(healedAt)) {
            // What counts is that somebody went on asking.
            long nanos = history.awake(gap);
            if (nanos > limits.freeNanos() && Span.total(Span.both(List.of(gap), wanted)) * 2 > gap.nanos()) {
                found.add(violation(
                        Rule.STUCK,
                        gap,
                        nanos,
                        List.of(),
                        "Nobody got the lock for " + Times.text(Times.millis(nanos))));
            }
        }
    }

    /** A call has a limit of its own. Beyond it and a lease it hangs. */
    private void checkCalls(long healedAt) {
        for (Attempt attempt : history.attempts()) {
            if (history.isKilled(attempt.section().client())) {
                continue;
            }
            Span call = new Span(
                    Math.max(attempt.beganAt(), healedAt),
                    attempt.answeredAt().orElse(lastSeen(attempt.section().client(), healedAt)));
            long nanos = history.running(call, attempt.section().client());
            if (nanos > attempt.waitNanos() + limits.freeNanos()) {
                found.add(violation(
                        Rule.STUCK,
                        call,
                        nanos,
                        List.of(attempt.section()),
                        "The call of " + attempt.section() + " with a limit of "
                                + Times.text(Times.millis(attempt.waitNanos())) + " took "
                                + Times.text(Times.millis(nanos))
                                + (attempt.answeredAt().isPresent() ? "" : " and had not come back")));
            }
        }
    }

    /** A release has no limit of its own. It has come back when its client notes something else than what a callback told it. */
    private void checkReleases(long healedAt) {
        Map<String, Event> open = new LinkedHashMap<>();
        for (Event event : history.events()) {
            Event releasing = open.get(event.client());
            boolean isBack = event.section() != 0
                    && event.kind() != Kind.APPLIED
                    && !event.text("how").orElse("").equals("callback");
            if (releasing != null && isBack) {
                open.remove(event.client());
                checkRelease(releasing, Math.max(event.nanos(), healedAt), healedAt);
            }
            if (event.kind() == Kind.RELEASING) {
                open.put(event.client(), event);
            }
        }
        // One that stopped came back, whatever it noted; one that had to be killed at the end did not.
        open.forEach((client, releasing) -> {
            if (!history.isKilled(client) && history.overAt(client) < Long.MAX_VALUE) {
                checkRelease(releasing, history.overAt(client), healedAt);
            }
        });
    }

    private void checkRelease(Event releasing, long backAt, long healedAt) {
        Span call = new Span(Math.max(releasing.nanos(), healedAt), backAt);
        long nanos = history.running(call, releasing.client());
        if (nanos > limits.freeNanos()) {
            Section section = new Section(releasing.client(), releasing.section());
            found.add(violation(
                    Rule.STUCK,
                    call,
                    nanos,
                    List.of(section),
                    "The release of " + section + " did not come back for " + Times.text(Times.millis(nanos))));
        }
    }

    /** Until when a call without an answer is known to have had none: whoever does not stop is killed some time after the end. */
    private long lastSeen(String client, long healedAt) {
        long killed = history.overAt(client);
        return killed < Long.MAX_VALUE ? killed : Math.max(history.endsAt(), healedAt);
    }

    private void checkLeftBehind() {
        for (Event event : history.events()) {
            if (event.kind() == Kind.PROBED && event.text("got").orElse("").equals("no")) {
                long nanos = event.number("millis").orElse(0) * 1_000_000;
                Span when = new Span(event.nanos() - nanos, event.nanos());
                long counted = history.awake(when);
                if (counted > limits.freeNanos()) {
                    found.add(violation(
                            Rule.LEFT_BEHIND,
                            when,
                            counted,
                            List.of(),
                            "After everybody had given it back the lock was not to be had for "
                                    + Times.text(Times.millis(counted))));
                }
            }
        }
    }

    private Violation violation(Rule rule, Span when, long nanos, List<Section> sections, String sentence) {
        return new Violation(
                rule, when, Times.millis(nanos), Times.millis(when.nanos() - history.awake(when)), sections, sentence);
    }
}
