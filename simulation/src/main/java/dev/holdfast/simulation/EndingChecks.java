package dev.holdfast.simulation;

import dev.holdfast.Lease;
import dev.holdfast.redis.node.Script;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How leases end, and what their holders are told: {@code onLost} exactly once for a lease that was over when it was closed,
 * never for one that was closed in time; and no release that the servers have confirmed is told as unconfirmed.
 */
final class EndingChecks {
    /** One lease, from its delivery on. */
    static final class Ending {
        private final Worker worker;
        private final Lease lease;
        private int toldLost;
        /** Over when its holder closed it: then the holder is told. */
        private boolean wasOver;
        /** Valid until its release was on the way: then the holder is not. */
        private boolean wasInTime;
        /** Of the tenure that ends with this lease; null if it goes on in this process. */
        private @Nullable String owner;

        private Ending(Worker worker, Lease lease) {
            this.worker = worker;
            this.lease = lease;
        }

        @Override
        public String toString() {
            return worker + ", token " + lease.token().value() + " of '" + lease.name() + "'";
        }
    }

    private final World world;
    private final List<Ending> endings = new ArrayList<>();
    /** Who is being closed: what is sent meanwhile is its release. */
    private @Nullable Ending closing;
    /** By owner: the servers whose answer to a release has arrived. */
    private final Map<String, Set<Server>> confirmed = new HashMap<>();

    EndingChecks(World world) {
        this.world = world;
    }

    Ending delivered(Worker worker, Lease lease) {
        Ending ending = new Ending(worker, lease);
        endings.add(ending);
        return ending;
    }

    void toldLost(Ending ending) {
        if (ending.wasInTime) {
            world.checks.fail(ending + " was closed in time, and its holder is told that it is lost");
        } else if (++ending.toldLost > 1) {
            world.checks.fail(ending + ": its holder is told twice that it is lost");
        }
    }

    /** Closes it. Between looking at the lease and deciding about it the process may stand still: then either is right. */
    void close(Ending ending) {
        Client process = ending.worker.process;
        long left = world.observe(ending.lease::remaining).toNanos();
        long before = process.clockNanos();
        closing = ending;
        var released = ending.lease.releaseAsync();
        closing = null;
        ending.wasOver = left == 0;
        ending.wasInTime = left > process.clockNanos() - before;
        var unused = released.whenComplete((done, failure) -> {
            if (failure != null) {
                toldUnconfirmed(ending);
            }
        });
    }

    /** A process sends a script. Returns whose tenure that ends, or null if it is no release. */
    @Nullable
    String sends(Client process, Script script, String[] arguments) {
        String owner = switch (script) {
            case RELEASE, QUORUM_RELEASE -> arguments[1];
            case RECLAIM -> arguments[7];
            default -> null;
        };
        if (owner != null && closing != null && closing.worker.process == process) {
            closing.owner = owner;
        }
        return owner;
    }

    /** The answer to a release has arrived. A node of a quorum that does not vote has other codes; one server always ends it. */
    void answered(String owner, Server server, Server.Answer said) {
        List<Object> reply = said.reply();
        if (reply == null || reply.isEmpty()) {
            return;
        }
        String code = String.valueOf(reply.get(0));
        if (!world.plan.isQuorum() || code.equals("0") || code.equals("1")) {
            confirmed.computeIfAbsent(owner, unused -> new HashSet<>()).add(server);
        }
    }

    private void toldUnconfirmed(Ending ending) {
        Set<Server> servers = confirmed.get(ending.owner);
        if (servers != null && 2 * servers.size() > world.servers.size()) {
            world.checks.fail(ending + ": its release is told as unconfirmed, and " + servers.size()
                    + " of the servers had confirmed it");
        }
    }

    /** The process is gone, and nobody there can be told anything. */
    void gone(Client process) {
        endings.removeIf(ending -> ending.worker.process == process);
    }

    /** Everybody has had the time to be told. */
    void atEnd() {
        for (Ending ending : endings) {
            if (ending.wasOver && ending.toldLost == 0) {
                world.checks.fail(ending + " was over when it was closed, and its holder was never told");
            }
        }
    }
}
