package dev.holdfast.proving.check;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * "Busy" from a client that asked and was answered while it could not reach the store: it cannot know. A client that holds the lock itself
 * can: a second caller in the same process is told so without the store.
 */
final class Answers {
    private Answers() {}

    static List<Violation> check(History history) {
        List<Violation> found = new ArrayList<>();
        Map<String, List<Span>> cutOff = cutOff(history);
        for (Attempt attempt : history.attempts()) {
            if (attempt.busy() && isInside(attempt, cutOff) && !holdsItself(history, attempt)) {
                Span when = new Span(attempt.beganAt(), attempt.answeredAt().orElseThrow());
                found.add(new Violation(
                        Rule.WRONG_ANSWER,
                        when,
                        Times.millis(when.nanos()),
                        Times.millis(when.nanos() - history.unstalled(when)),
                        List.of(attempt.section()),
                        attempt.section() + " was told \"busy\" while it could not reach the store"));
            }
        }
        return found;
    }

    private static Map<String, List<Span>> cutOff(History history) {
        Map<String, List<Span>> spans = new LinkedHashMap<>();
        Map<String, Event> open = new LinkedHashMap<>();
        for (Event event : history.events()) {
            String name = event.text("name").orElse("");
            if (event.kind() == Kind.FAULT) {
                open.put(name, event);
            } else if (event.kind() == Kind.HEALED && open.containsKey(name)) {
                Event fault = open.remove(name);
                Span span = new Span(fault.nanos(), event.nanos());
                for (String client : fault.text("unreachable").orElse("").split(",", -1)) {
                    spans.computeIfAbsent(client, each -> new ArrayList<>()).add(span);
                }
            }
        }
        return spans;
    }

    private static boolean isInside(Attempt attempt, Map<String, List<Span>> cutOff) {
        long answered = attempt.answeredAt().orElse(Long.MAX_VALUE);
        for (String who : List.of("all", attempt.section().client())) {
            for (Span span : cutOff.getOrDefault(who, List.of())) {
                if (span.from() < attempt.beganAt() && answered < span.to()) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean holdsItself(History history, Attempt attempt) {
        Span call = new Span(attempt.beganAt(), attempt.answeredAt().orElseThrow());
        return history.holds().stream()
                .filter(each -> each.section().client().equals(attempt.section().client()))
                .anyMatch(each -> !Span.both(each.believed(), List.of(call)).isEmpty());
    }
}
