package dev.holdfast.proving.check;

import dev.holdfast.proving.log.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Makes a hold of the events of one section. */
final class HoldReader {
    /** Where the library knows no end. */
    private static final long OPEN = Long.MAX_VALUE;

    private final Section section;
    private final long overAt;
    private final List<Span> believed = new ArrayList<>();
    private long askedAt = Long.MIN_VALUE;
    private @Nullable Event grant;
    private Hold.@Nullable Told told;
    private @Nullable Event releasing;
    private boolean confirmed;
    private boolean namesAnEnd;

    /** @param overAt when the client was killed, or nobody looked any more */
    HoldReader(Section section, long overAt) {
        this.section = section;
        this.overAt = overAt;
    }

    void read(Event event) {
        namesAnEnd |= event.number("until").isPresent();
        switch (event.kind()) {
            case ATTEMPT -> askedAt = event.nanos();
            case GRANT -> {
                grant = event;
                believed.add(new Span(event.nanos(), event.number("until").orElse(OPEN)));
            }
            case BELIEVES ->
                believed.add(new Span(
                        event.number("asked").orElse(event.nanos()),
                        event.number("until").orElse(OPEN)));
            case TOLD ->
                told = told == null
                        ? new Hold.Told(event.nanos(), event.text("how").orElse(""))
                        : told;
            // It does not know whether the lock was still held. Whoever hears that has not been left in peace.
            case RELEASE_FAILED -> told = told == null ? new Hold.Told(event.nanos(), "a release that failed") : told;
            case RELEASING -> releasing = event;
            case RELEASED -> confirmed = true;
            default -> {
                // Says nothing about the lock.
            }
        }
    }

    Optional<Hold> hold() {
        if (grant == null) {
            return Optional.empty();
        }
        long givenBack = releasing == null ? overAt : Math.min(overAt, releasing.nanos());
        long end = told == null ? givenBack : Math.min(givenBack, told.at());
        boolean inDoubt = told != null && told.how().equals("callback") && !namesAnEnd;
        List<Span> all = Span.both(Span.union(believed), List.of(new Span(grant.nanos(), end)));
        return Optional.of(new Hold(
                section,
                askedAt,
                grant.nanos(),
                grant.number("token"),
                all,
                new Span(end, inDoubt ? givenBack : end),
                Optional.ofNullable(told),
                releasing == null ? OptionalLong.empty() : OptionalLong.of(releasing.nanos()),
                confirmed));
    }
}
