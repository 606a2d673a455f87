package dev.holdfast.proving.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Random lawful histories have no violation; with one event changed they have the one that belongs to the change. */
class MutatedHistoriesTest {
    private static final int SECTIONS = 40;

    /** Clients take turns: ask, get it, read, write, give it back. */
    private static List<Event> lawful(Random random) {
        Story story = new Story();
        long now = 100;
        for (int i = 1; i <= SECTIONS; i++) {
            String client = "abc".charAt(random.nextInt(3)) + "1";
            long granted = now + 1 + random.nextInt(200);
            long released = granted + 3 + random.nextInt(100);
            story.grantToken(now - random.nextInt(50), granted, client, i, 1000 + i);
            story.write(granted + 1, client, i, i - 1, i);
            story.release(released, client, i);
            now = released + 1;
        }
        return story.end(now + 10).events;
    }

    private static Verdict verdict(List<Event> events) {
        return Checker.check(events, Story.LIMITS);
    }

    private static List<Event> changed(List<Event> events, Kind kind, long section, UnaryOperator<Event> change) {
        List<Event> all = new ArrayList<>();
        for (Event event : events) {
            all.add(event.kind() == kind && event.section() == section ? change.apply(event) : event);
        }
        return all;
    }

    private static UnaryOperator<Event> with(String key, Object value) {
        return event -> {
            List<Object> fields = new ArrayList<>();
            event.fields().forEach((k, v) -> fields.addAll(List.of(k, k.equals(key) ? value : v)));
            return Event.of(event.nanos(), event.kind(), event.client(), event.section(), fields.toArray());
        };
    }

    private static UnaryOperator<Event> at(long nanos) {
        return event -> new Event(nanos, event.kind(), event.client(), event.section(), event.fields());
    }

    private static long when(List<Event> events, Kind kind, long section) {
        return events.stream()
                .filter(each -> each.kind() == kind && each.section() == section)
                .findFirst()
                .orElseThrow()
                .nanos();
    }

    @RepeatedTest(30)
    void oneChangeIsFoundAndNamed(RepetitionInfo repetition) {
        Random random = new Random(repetition.getCurrentRepetition());
        List<Event> events = lawful(random);
        int victim = 2 + random.nextInt(SECTIONS - 2);

        assertThat(verdict(events).violations()).isEmpty();

        // Granted before the one in front began to give it back.
        long early = when(events, Kind.RELEASING, victim - 1) - 1;
        assertThat(verdict(changed(events, Kind.GRANT, victim, at(early))).violations())
                .extracting(Violation::rule)
                .contains(Rule.OVERLAP);
        // A token of long ago.
        List<Event> old = changed(events, Kind.ATTEMPT, victim, at(when(events, Kind.RELEASING, victim - 1) + 1));
        assertThat(verdict(changed(old, Kind.GRANT, victim, with("token", 1))).violations())
                .extracting(Violation::rule)
                .containsOnly(Rule.TOKEN_ORDER);
        assertThat(verdict(changed(events, Kind.GRANT, victim, with("token", 1000 + victim - 1)))
                        .violations())
                .extracting(Violation::rule)
                .contains(Rule.TOKEN_ORDER);
        // Written on top of what was read one version too early.
        assertThat(verdict(changed(events, Kind.APPLIED, victim, with("based", victim - 2)))
                        .violations())
                .extracting(Violation::rule)
                .containsExactly(Rule.LOST_WRITE);
        // Never given back.
        List<Event> kept = events.stream()
                .filter(each ->
                        each.section() != victim || (each.kind() != Kind.RELEASING && each.kind() != Kind.RELEASED))
                .toList();
        assertThat(verdict(victim == SECTIONS ? events : kept).violations().isEmpty())
                .isEqualTo(victim == SECTIONS);
    }
}
