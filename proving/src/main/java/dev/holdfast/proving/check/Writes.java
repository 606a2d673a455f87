package dev.holdfast.proving.check;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Writes that were acknowledged to the client and are gone. The resource numbers what it carries out; a write that is based on an older
 * number than the last overwrites everything between the two. Says nothing about time, so load explains none of it.
 */
final class Writes {
    private Writes() {}

    static List<Violation> check(History history) {
        Set<Section> acknowledged = new HashSet<>();
        List<Event> applied = new ArrayList<>();
        for (Event event : history.events()) {
            if (event.kind() == Kind.WROTE) {
                acknowledged.add(section(event));
            } else if (event.kind() == Kind.APPLIED) {
                applied.add(event);
            }
        }
        List<Violation> found = new ArrayList<>();
        Set<Section> lost = new HashSet<>();
        for (Event overwriting : applied) {
            long based = overwriting.number("based").orElseThrow();
            long version = overwriting.number("version").orElseThrow();
            for (Event victim : applied) {
                long its = victim.number("version").orElseThrow();
                if (its > based
                        && its < version
                        && acknowledged.contains(section(victim))
                        && lost.add(section(victim))) {
                    found.add(violation(victim, overwriting));
                }
            }
        }
        return found;
    }

    private static Violation violation(Event victim, Event overwriting) {
        return new Violation(
                Rule.LOST_WRITE,
                new Span(victim.nanos(), overwriting.nanos()),
                0,
                0,
                List.of(section(victim), section(overwriting)),
                "The acknowledged write of " + section(victim) + " was overwritten by " + section(overwriting)
                        + ", which had not seen it");
    }

    private static Section section(Event event) {
        return new Section(event.client(), event.section());
    }
}
