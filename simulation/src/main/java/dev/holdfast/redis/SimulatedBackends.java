package dev.holdfast.redis;

import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.List;

/** The real backends over simulated servers, and the shipped scripts. */
public final class SimulatedBackends {
    /** Of the guard that {@link RedisFence} puts in front of every write. */
    public static final String GUARD = Script.read("guard") + "\n";

    private SimulatedBackends() {}

    /** One server. */
    public static LockBackend single(SimulatedServer server, Duration window, Duration timeout) {
        return new RedisBackend(new SimulatedNode(server), Keys.standard(), window, timeout);
    }

    /** Several, of which a majority decides. */
    public static LockBackend quorum(
            List<? extends SimulatedServer> servers, Duration timeout, Duration window, Duration maxLease) {
        List<SimulatedNode> nodes = servers.stream().map(SimulatedNode::new).toList();
        return new RedlockBackend(nodes, Keys.standard(), timeout, window, maxLease);
    }

    /** Lock, queue and fence of a name. */
    public static String[] keys(String name, boolean ofQuorum) {
        return (ofQuorum ? Keys.standard().ofQuorum() : Keys.standard()).of(name);
    }

    /** Where a node of a quorum keeps whether it votes. */
    public static String admissionKey() {
        return Keys.standard().ofQuorum().admission();
    }

    /** What stands there if this very memory votes, one of so many; the longest lease that it may grant comes behind. */
    public static String admission(SimulatedServer.Identity identity, int servers) {
        return "admitted " + servers + ":" + SimulatedNode.known(identity).memory() + " ";
    }

    /** Where the guard keeps the newest token. */
    public static String guardKey(String key) {
        return RedisFence.guardKey(key);
    }

    /** A script's whole text, by its name in upper case. */
    public static String source(String script) {
        return Script.valueOf(script).source();
    }
}
