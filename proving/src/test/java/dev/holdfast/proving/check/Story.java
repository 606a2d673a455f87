package dev.holdfast.proving.check;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Writes down histories by hand, in milliseconds. */
final class Story {
    static final Limits LIMITS = new Limits(Duration.ofSeconds(3), Duration.ofSeconds(3));

    final List<Event> events = new ArrayList<>();

    private static long nanos(long millis) {
        return millis * 1_000_000;
    }

    Story add(long millis, Kind kind, String client, long section, Object... fields) {
        events.add(Event.of(nanos(millis), kind, client, section, fields));
        return this;
    }

    Story runner(long millis, Kind kind, Object... fields) {
        return add(millis, kind, Event.RUNNER, 0, fields);
    }

    /** Asked for and granted at once, until somebody says otherwise. */
    Story grant(long millis, String client, long section) {
        return add(millis - 1, Kind.ATTEMPT, client, section, "wait", 6000).add(millis, Kind.GRANT, client, section);
    }

    Story grantUntil(long millis, String client, long section, long until) {
        return add(millis - 1, Kind.ATTEMPT, client, section, "wait", 6000)
                .add(millis, Kind.GRANT, client, section, "until", nanos(until));
    }

    Story grantToken(long asked, long millis, String client, long section, long token) {
        return add(asked, Kind.ATTEMPT, client, section, "wait", 6000)
                .add(millis, Kind.GRANT, client, section, "token", token);
    }

    Story believesUntil(long millis, String client, long section, long until) {
        return add(millis, Kind.BELIEVES, client, section, "asked", nanos(millis), "until", nanos(until));
    }

    Story release(long millis, String client, long section) {
        return add(millis, Kind.RELEASING, client, section).add(millis + 1, Kind.RELEASED, client, section);
    }

    Story told(long millis, String client, long section, String how) {
        return add(millis, Kind.TOLD, client, section, "how", how);
    }

    /** Read, write and acknowledgement. */
    Story write(long millis, String client, long section, long based, long version) {
        return add(millis, Kind.APPLIED, client, section, "based", based, "version", version)
                .add(millis + 1, Kind.WROTE, client, section, "based", based, "version", version);
    }

    Story stall(long from, long to, String client) {
        return add(to, Kind.STALL, client, 0, "from", nanos(from));
    }

    Story end(long millis) {
        return runner(millis, Kind.END);
    }

    Verdict verdict() {
        return Checker.check(events, LIMITS);
    }
}
