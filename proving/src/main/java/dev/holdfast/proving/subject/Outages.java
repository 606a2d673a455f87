package dev.holdfast.proving.subject;

import java.util.Set;

/** Faults by name, for what is promised after them. */
final class Outages {
    /** The store has lost what it knew. */
    static final Set<String> FORGETS = Set.of("server-kill-empty", "flushall");

    /** The holder, or its way to the store, stands still for longer than the lease. */
    static final Set<String> PAUSES = Set.of("client-stop", "cut-holder", "cut-all", "one-way", "server-stop");

    /** The clock by which the store ends leases runs away. */
    static final Set<String> SERVER_CLOCKS = Set.of("server-clock-jump", "server-clock-fast");

    /** Another server has taken over, and may not know everything. */
    static final Set<String> FAILOVERS = Set.of("failover", "failover-behind", "failover-stop");

    static final String CLOCK_EXCUSE =
            "a server whose clock runs ahead ends every lease early, and nobody promises otherwise";

    private Outages() {}
}
