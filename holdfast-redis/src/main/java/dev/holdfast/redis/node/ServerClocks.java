package dev.holdfast.redis.node;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What we know of the clock of each server, by the server's {@code run_id}. Safe for use by many threads. */
public final class ServerClocks {
    private final ConcurrentHashMap<String, ServerClock> clocks = new ConcurrentHashMap<>();

    public ServerClock of(String runId) {
        ServerClock known = clocks.get(runId);
        return known != null ? known : clocks.computeIfAbsent(runId, server -> new ServerClock());
    }

    /** Forgets all others: each start of a server has a {@code run_id} of its own, and a process may outlive many. */
    public void retain(Set<String> runIds) {
        clocks.keySet().retainAll(runIds);
    }
}
