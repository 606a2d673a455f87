package dev.holdfast.proving.subject;

import java.util.Set;

/** Faults by name, for what is promised after them. */
final class Outages {
    /** The store has lost what it knew. */
    static final Set<String> FORGETS = Set.of("server-kill-empty", "flushall");

    private Outages() {}
}
