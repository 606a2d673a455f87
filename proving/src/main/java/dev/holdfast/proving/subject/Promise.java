package dev.holdfast.proving.subject;

import dev.holdfast.proving.check.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the documents of a subject promise: a sentence for the reader, and what they do not promise. What happens all the same is
 * reported, and marked.
 */
public final class Promise {
    private final String sentence;
    private final List<Excuse> excuses = new ArrayList<>();

    private Promise(String sentence) {
        this.sentence = sentence;
    }

    /** @param faults empty for all */
    private record Excuse(Set<String> faults, Set<Rule> rules, String why) {}

    static Promise of(String sentence) {
        return new Promise(sentence);
    }

    /** These rules are promised by nobody's word. */
    Promise not(String why, Rule... rules) {
        excuses.add(new Excuse(Set.of(), Set.of(rules), why));
        return this;
    }

    /** These rules are not promised after these faults. */
    Promise notAfter(Set<String> faults, String why, Rule... rules) {
        excuses.add(new Excuse(Set.copyOf(faults), Set.of(rules), why));
        return this;
    }

    public String sentence() {
        return sentence;
    }

    /** Why this was never promised after these faults; empty if it was. */
    public Optional<String> excuse(Rule rule, List<String> faults) {
        return excuses.stream()
                .filter(each -> each.rules.contains(rule)
                        && (each.faults.isEmpty() || faults.stream().anyMatch(each.faults::contains)))
                .map(Excuse::why)
                .findFirst();
    }
}
