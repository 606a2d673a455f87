package dev.holdfast.proving.check;

import java.util.List;

/**
 * Something that must not happen, and did.
 *
 * @param when from when to when
 * @param millis how much of that counts, for the rules that measure
 * @param stalledMillis for how long the machine measurably stood still in that time
 */
public record Violation(
        Rule rule, Span when, long millis, long stalledMillis, List<Section> sections, String sentence) {
    public Violation {
        sections = List.copyOf(sections);
    }
}
