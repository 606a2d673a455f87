package dev.holdfast.proving.report;

import dev.holdfast.proving.check.Rule;
import dev.holdfast.proving.check.Violation;
import dev.holdfast.proving.fault.Fault;
import dev.holdfast.proving.fault.Faults;
import dev.holdfast.proving.schedule.PlannedTrial;
import dev.holdfast.proving.subject.Subject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** All outcomes of a run, and what it ran on. */
public final class Results {
    private final List<Outcome> outcomes = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    public void add(Outcome outcome) {
        outcomes.add(outcome);
    }

    /** What was left out, and why. */
    public void note(String note) {
        notes.add(note);
    }

    /** Store by store, although stores were played side by side. */
    public List<Outcome> outcomes() {
        return outcomes.stream()
                .sorted(Comparator.comparing(each -> each.trial().store()))
                .toList();
    }

    /** How many there were. */
    long trials() {
        return outcomes.stream()
                .map(each -> each.trial().id() + each.trial().seed())
                .distinct()
                .count();
    }

    /**
     * Whether most of so many rounds of this trial agree already, about each subject and each rule. What is left of them could change no
     * claim.
     */
    public boolean isDecided(PlannedTrial trial, long rounds) {
        List<Outcome> played = outcomes.stream()
                .filter(each -> each.trial().seed() == trial.seed())
                .toList();
        return !played.isEmpty()
                && played.stream()
                        .map(Outcome::subject)
                        .distinct()
                        .allMatch(subject -> mostAgree(
                                played.stream()
                                        .filter(each -> each.subject().equals(subject))
                                        .toList(),
                                rounds));
    }

    private static boolean mostAgree(List<Outcome> played, long rounds) {
        return Stream.of(Rule.values())
                .allMatch(rule -> Stream.of(true, false).allMatch(promised -> {
                    long broken = played.stream()
                            .filter(each -> !violations(each, rule, promised).isEmpty())
                            .count();
                    return 2 * Math.max(broken, played.size() - broken) > rounds;
                }));
    }

    public List<String> notes() {
        return List.copyOf(notes);
    }

    public List<Subject> subjects() {
        return outcomes().stream().map(Outcome::subject).distinct().toList();
    }

    List<Outcome> of(Subject subject) {
        return outcomes.stream().filter(each -> each.subject().equals(subject)).toList();
    }

    private List<Outcome> of(Subject subject, String fault) {
        return of(subject).stream()
                .filter(each -> each.trial().fault().name().equals(fault))
                .toList();
    }

    /** The faults that were played, in order. */
    List<String> faults() {
        return Faults.all().stream()
                .map(Fault::name)
                .filter(name -> outcomes.stream()
                        .anyMatch(each -> each.trial().fault().name().equals(name)))
                .toList();
    }

    /** Why what was broken had never been promised after the faults that are behind it; empty if it had. */
    static Optional<String> excuse(Outcome outcome, Violation violation) {
        return outcome.subject()
                .promise()
                .excuse(violation.rule(), outcome.history().faultsBehind(violation));
    }

    static List<Violation> violations(Outcome outcome, Rule rule, boolean promised) {
        return outcome.verdict().violations().stream()
                .filter(each -> each.rule() == rule && excuse(outcome, each).isEmpty() == promised)
                .toList();
    }

    /** How often this was broken, of what was promised or of what was not. */
    long count(Subject subject, Rule rule, boolean promised) {
        return of(subject).stream()
                .mapToLong(each -> violations(each, rule, promised).size())
                .sum();
    }

    /** The longest of all, in milliseconds. */
    long longest(Subject subject, Rule rule) {
        return of(subject).stream()
                .flatMap(each -> each.verdict().violations().stream())
                .filter(each -> each.rule() == rule)
                .mapToLong(Violation::millis)
                .max()
                .orElse(0);
    }

    /** In how many of the trials of that fault the rule was broken, of what was promised or of what was not. */
    long trialsWith(Subject subject, String fault, Rule rule, boolean promised) {
        return of(subject, fault).stream()
                .filter(each -> !violations(each, rule, promised).isEmpty())
                .count();
    }

    long trials(Subject subject, String fault) {
        return of(subject, fault).size();
    }

    /** Whether we say of this subject that it breaks its promise: the same seed showed it at least two out of three times. Never by one trial. */
    boolean isClaimed(Subject subject, String fault, Rule rule) {
        long broken = trialsWith(subject, fault, rule, true);
        return broken >= 2 && broken * 3 >= trials(subject, fault) * 2;
    }

    /** Whether that is so after any fault. */
    boolean isClaimed(Subject subject, Rule rule) {
        return faults().stream().anyMatch(fault -> isClaimed(subject, fault, rule));
    }
}
