package dev.holdfast.proving.check;

import java.util.List;

/**
 * What is concluded about one subject in one trial.
 *
 * @param grants how often the lock was granted
 * @param writes how many writes the resource acknowledged
 * @param refused how many writes its guard refused
 * @param unaware holds whose lock had gone to somebody else, and that were given back within a lease without a word about it
 * @param longestGapMillis the longest time in which nobody held the lock
 * @param worstNoticeMillis the longest time between a grant to a rival and the notice to the holder
 * @param stalledMillis for how long the machine measurably stood still, in all
 */
public record Verdict(
        List<Violation> violations,
        long grants,
        long writes,
        long refused,
        long unaware,
        long longestGapMillis,
        long worstNoticeMillis,
        long stalledMillis) {
    public Verdict {
        violations = List.copyOf(violations);
    }

    public long count(Rule rule) {
        return violations.stream().filter(each -> each.rule() == rule).count();
    }
}
