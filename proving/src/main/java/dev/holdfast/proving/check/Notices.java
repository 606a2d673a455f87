package dev.holdfast.proving.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Holders whose lock went to a rival: whether they were told, and how late. A holder is told by a callback, by an answer to a question,
 * by a failed release, or by the time until which the library had promised the lock. The time in which it was not running, because it was
 * frozen or had no processor, does not count.
 */
final class Notices {
    private final History history;
    private final Limits limits;
    private final List<Violation> found = new ArrayList<>();
    private long worstNanos;
    private long unaware;

    Notices(History history, Limits limits) {
        this.history = history;
        this.limits = limits;
        for (Hold hold : history.holds()) {
            lostTo(hold).ifPresent(rival -> judge(hold, rival));
        }
    }

    List<Violation> violations() {
        return found;
    }

    long worstNanos() {
        return worstNanos;
    }

    long unaware() {
        return unaware;
    }

    /** The first that was granted the lock before this one believed to hold it for the last time. */
    private Optional<Hold> lostTo(Hold hold) {
        return history.holds().stream()
                .filter(each -> !each.section().equals(hold.section()))
                .filter(each -> each.grantedAt() > hold.grantedAt() && each.grantedAt() < hold.believedUntil())
                .findFirst();
    }

    private void judge(Hold hold, Hold rival) {
        long lostAt = rival.grantedAt();
        boolean told = hold.told().isPresent();
        long over = history.overAt(hold.section().client());
        // Without a word, and without an end of its own accord: the library's promise ran out.
        boolean byItsClock =
                !told && hold.believedUntil() < Math.min(over, hold.endedAt().orElse(Long.MAX_VALUE));
        long end = told
                ? hold.told().get().at()
                : byItsClock ? hold.believedUntil() : hold.endedAt().orElse(Math.min(over, history.endsAt()));
        Span unknowing = new Span(lostAt, end);
        long nanos = history.running(unknowing, hold.section().client());
        if (!told && !byItsClock) {
            if (nanos > limits.noticeNanos()) {
                found.add(violation(Rule.SILENT_LOSS, hold, rival, unknowing, nanos, "was never told"));
            } else if (hold.endedAt().isPresent()
                    || !history.isKilled(hold.section().client())) {
                unaware++;
            }
            return;
        }
        worstNanos = Math.max(worstNanos, nanos);
        if (nanos > limits.noticeNanos()) {
            found.add(violation(
                    Rule.LATE_NOTICE,
                    hold,
                    rival,
                    unknowing,
                    nanos,
                    "was told " + Times.text(Times.millis(nanos)) + " later, by "
                            + hold.told().map(Hold.Told::how).orElse("its own clock")));
        }
    }

    private Violation violation(Rule rule, Hold hold, Hold rival, Span when, long nanos, String what) {
        return new Violation(
                rule,
                when,
                Times.millis(nanos),
                Times.millis(when.nanos() - history.unstalled(when)),
                List.of(hold.section(), rival.section()),
                "The lock of " + hold.section() + " went to " + rival.section() + "; " + hold.section() + " " + what);
    }
}
