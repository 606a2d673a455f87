package dev.holdfast.proving.check;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import java.util.ArrayList;
import java.util.List;

/** Judges the log of one subject in one trial. */
public final class Checker {
    private Checker() {}

    public static Verdict check(List<Event> events, Limits limits) {
        return check(new History(events), limits);
    }

    public static Verdict check(History history, Limits limits) {
        Notices notices = new Notices(history, limits);
        Waiting waiting = new Waiting(history, limits);
        List<Violation> all = new ArrayList<>();
        all.addAll(Exclusion.check(history));
        all.addAll(Tokens.check(history));
        all.addAll(Writes.check(history));
        all.addAll(notices.violations());
        all.addAll(waiting.violations());
        all.addAll(Answers.check(history));
        return new Verdict(
                all,
                history.holds().size(),
                count(history, Kind.WROTE),
                count(history, Kind.REFUSED),
                notices.unaware(),
                Times.millis(waiting.longestGapNanos()),
                Times.millis(notices.worstNanos()),
                Times.millis(Span.total(history.stalls())));
    }

    private static long count(History history, Kind kind) {
        return history.events().stream().filter(each -> each.kind() == kind).count();
    }
}
