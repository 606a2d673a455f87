package dev.holdfast.proving.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A time from one nanosecond to another, the second excluded. */
public record Span(long from, long to) {
    public long nanos() {
        return Math.max(0, to - from);
    }

    boolean isEmpty() {
        return to <= from;
    }

    Span and(Span other) {
        return new Span(Math.max(from, other.from), Math.min(to, other.to));
    }

    /** What both have in common. Each of the lists is in order and has no overlaps. */
    static List<Span> both(List<Span> one, List<Span> other) {
        List<Span> common = new ArrayList<>();
        for (Span each : one) {
            for (Span its : other) {
                Span span = each.and(its);
                if (!span.isEmpty()) {
                    common.add(span);
                }
            }
        }
        return common;
    }

    static List<Span> without(List<Span> spans, List<Span> removed) {
        List<Span> left = new ArrayList<>(spans);
        for (Span hole : removed) {
            List<Span> next = new ArrayList<>();
            for (Span span : left) {
                add(next, new Span(span.from, Math.min(span.to, hole.from)));
                add(next, new Span(Math.max(span.from, hole.to), span.to));
            }
            // A hole outside of a span leaves it as it is, and must not leave it twice.
            left = union(next);
        }
        return left;
    }

    private static void add(List<Span> spans, Span span) {
        if (!span.isEmpty()) {
            spans.add(span);
        }
    }

    /** In order, and without overlaps. */
    static List<Span> union(List<Span> spans) {
        List<Span> sorted = spans.stream()
                .filter(each -> !each.isEmpty())
                .sorted(Comparator.comparingLong(Span::from))
                .toList();
        List<Span> merged = new ArrayList<>();
        for (Span span : sorted) {
            int last = merged.size() - 1;
            if (last >= 0 && merged.get(last).to >= span.from) {
                merged.set(last, new Span(merged.get(last).from, Math.max(merged.get(last).to, span.to)));
            } else {
                merged.add(span);
            }
        }
        return merged;
    }

    static long total(List<Span> spans) {
        return spans.stream().mapToLong(Span::nanos).sum();
    }
}
