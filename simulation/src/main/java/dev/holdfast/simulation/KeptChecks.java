package dev.holdfast.simulation;

import dev.holdfast.Lease;
import dev.holdfast.redis.node.Script;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A lock that was released for later stays taken until then: once the servers have said so, nobody is given it before, whatever
 * becomes of the process that released it.
 */
final class KeptChecks {
    /** Two clocks, each half a percent wrong, and a little for what is rounded. */
    private static final double SLOWEST = 1 / 1.012;

    private static final double FASTEST = 1.012;
    private static final long SLACK_NANOS = 5_000_000;

    private final World world;
    /** By owner: for how long it asked the servers to keep the lock, in true time; at least, and at most. */
    private final Map<String, long[]> asked = new HashMap<>();
    /** By server and name: the owner for whom it is kept. */
    private final Map<Server, Map<String, String>> kept = new HashMap<>();

    KeptChecks(World world) {
        this.world = world;
    }

    /** A process sends a script. */
    void sends(Script script, String[] arguments) {
        if (isOurs(script)) {
            long nanos = Long.parseLong(arguments[arguments.length - 1]) * 1_000_000;
            long least = world.now + (long) (nanos * SLOWEST) - SLACK_NANOS;
            long most = world.now + (long) (nanos * FASTEST) + SLACK_NANOS;
            asked.merge(owner(arguments), new long[] {least, most}, (known, more) ->
                    new long[] {Math.max(known[0], more[0]), Math.max(known[1], more[1])});
        }
    }

    /** A server has carried a script out. */
    void carriedOut(Server server, Script script, String[] keys, String[] arguments, List<Object> reply) {
        if (isOurs(script) && String.valueOf(reply.get(0)).equals("1")) {
            String name = keys[0].substring(keys[0].indexOf("}:lock:") + "}:lock:".length());
            kept.computeIfAbsent(server, unused -> new HashMap<>()).put(name, owner(arguments));
        }
    }

    private static boolean isOurs(Script script) {
        return script == Script.RELEASE_LATER || script == Script.QUORUM_RELEASE_LATER;
    }

    /** One server is given owner and token in one word, a node of a quorum each by itself. */
    private String owner(String[] arguments) {
        return ServerChecks.word(arguments[world.plan.isQuorum() ? 1 : 0], 0);
    }

    /** What a server alone has forgotten it does not keep; a majority that forgets goes by the longest lease that is configured. */
    void lostWrites(Server server) {
        long voting = world.servers.stream().filter(Server::votes).count();
        if (!world.plan.isQuorum()) {
            kept.remove(server);
        } else if (2 * voting <= world.servers.size()) {
            kept.clear();
        }
    }

    void delivered(Worker worker, Lease lease) {
        if (!world.plan.clocksWithin() || !world.observe(lease::isValid)) {
            return;
        }
        Map<String, Integer> servers = new HashMap<>();
        for (Map<String, String> each : kept.values()) {
            String owner = each.getOrDefault(lease.name(), "");
            long[] until = asked.get(owner);
            if (until != null && until[0] > world.now) {
                servers.merge(owner, 1, Integer::sum);
            }
        }
        for (int count : servers.values()) {
            if (2 * count > world.servers.size()) {
                world.checks.fail(worker + " was given '" + lease.name() + "', which " + count
                        + " servers were to keep for longer");
            }
        }
    }

    /** Whether this value may stand there for a process that does not know of it any more. */
    boolean mayStand(String value) {
        long[] until = asked.get(ServerChecks.word(value, 0));
        // A request that is carried out late keeps it for longer; so does one of a process that stood still before it
        // sent it.
        return until != null && world.now < until[1] + 4 * world.plan.lease().toNanos();
    }
}
