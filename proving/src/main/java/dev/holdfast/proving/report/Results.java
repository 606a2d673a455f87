package dev.holdfast.proving.report;

import dev.holdfast.proving.check.Rule;
import dev.holdfast.proving.check.Violation;
import dev.holdfast.proving.subject.Subject;
import java.util.ArrayList;
import java.util.List;

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

    public List<Outcome> outcomes() {
        return List.copyOf(outcomes);
    }

    public List<String> notes() {
        return List.copyOf(notes);
    }

    public List<Subject> subjects() {
        return outcomes.stream().map(Outcome::subject).distinct().toList();
    }

    List<Outcome> of(Subject subject) {
        return outcomes.stream().filter(each -> each.subject().equals(subject)).toList();
    }

    /** The faults that were played, in order. */
    List<String> faults() {
        return outcomes.stream()
                .map(each -> each.trial().fault().name())
                .distinct()
                .toList();
    }

    static boolean isPromised(Outcome outcome, Rule rule) {
        return outcome.subject()
                .promise()
                .excuse(rule, outcome.trial().fault().name())
                .isEmpty();
    }

    /** How often this was broken, of what was promised or of what was not. */
    long count(Subject subject, Rule rule, boolean promised) {
        return of(subject).stream()
                .filter(each -> isPromised(each, rule) == promised)
                .mapToLong(each -> each.verdict().count(rule))
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

    /** In how many of the trials of that fault the rule was broken. */
    long trialsWith(Subject subject, String fault, Rule rule) {
        return of(subject).stream()
                .filter(each -> each.trial().fault().name().equals(fault))
                .filter(each -> each.verdict().count(rule) > 0)
                .count();
    }

    long trials(Subject subject, String fault) {
        return of(subject).stream()
                .filter(each -> each.trial().fault().name().equals(fault))
                .count();
    }
}
