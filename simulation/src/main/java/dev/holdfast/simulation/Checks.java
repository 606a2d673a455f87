package dev.holdfast.simulation;

import dev.holdfast.Lease;
import dev.holdfast.LockKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What must hold in every world, as far as its assumptions go. The first thing that does not ends the run. */
final class Checks {
    /** A lease that its holder has not closed. */
    private record Held(Worker worker, String name, Lease lease, long token, boolean reads) {
        /** Whether the two must not be valid at once. */
        boolean excludes(Held other) {
            return name.equals(other.name) && lease.slot() == other.lease.slot() && !(reads && other.reads);
        }
    }

    private final World world;
    private final List<Held> held = new ArrayList<>();
    private final Map<String, ArrayDeque<Worker>> waiting = new HashMap<>();
    private final Map<String, Set<Long>> tokens = new HashMap<>();
    private final Map<String, Long> newestValid = new HashMap<>();
    private final Map<String, Long> releasedNanos = new HashMap<>();
    /** Then the guard cannot tell one holder from another. */
    private boolean tokensMayRepeat;

    private @Nullable String failure;

    Checks(World world) {
        this.world = world;
    }

    void fail(String what) {
        if (failure == null) {
            failure = what;
            if (world.trace.telling) {
                world.trace.tell(world.now, "checks", Trace.Kind.BROKEN, "", 0, "BROKEN: " + what);
            }
        }
    }

    @Nullable
    String failure() {
        return failure;
    }

    // ---- waiters: first come, first served inside a process

    void joined(Worker worker) {
        waiting.computeIfAbsent(place(worker), key -> new ArrayDeque<>()).add(worker);
    }

    void left(Worker worker) {
        ArrayDeque<Worker> queue = waiting.get(place(worker));
        if (queue != null) {
            queue.remove(worker);
        }
    }

    boolean isWaiting(Client process, String name) {
        ArrayDeque<Worker> queue = waiting.get(process.id + " " + name);
        return queue != null && !queue.isEmpty();
    }

    private static String place(Worker worker) {
        return worker.process.id + " " + worker.lockName();
    }

    // ---- leases

    void delivered(Worker worker, Lease lease) {
        world.acquisitions++;
        String name = lease.name();
        long token = lease.token().value();
        ArrayDeque<Worker> queue = waiting.get(place(worker));
        if (queue != null && queue.contains(worker) && queue.removeFirst() != worker) {
            fail(worker + " was served before another one of its process that came first");
        }
        // On a quorum each slot of a semaphore has a counter of its own.
        if (!tokens.computeIfAbsent(name + "/" + lease.slot(), key -> new HashSet<>())
                .add(token)) {
            fail("token " + token + " of '" + name + "' was handed out twice");
        }
        held.add(new Held(worker, name, lease, token, worker.reads()));
        if (lease.isValid()) {
            checkOrder(worker, lease, token);
        }
        checkPromptness(worker, name);
    }

    /**
     * A lease that is valid when it is handed out comes after all that were. Each slot of a semaphore has an order of its own, and
     * readers have none among themselves.
     */
    private void checkOrder(Worker worker, Lease lease, long token) {
        String name = lease.name();
        String ofAll = name + "/" + lease.slot();
        String ofWriters = ofAll + ", written";
        long newest = newestValid.getOrDefault(worker.reads() ? ofWriters : ofAll, 0L);
        if (token < newest && world.plan.clocksWithin() && !world.mayBeForgotten(name, token)) {
            fail(worker + " was given token " + token + " of '" + name + "' after somebody had been given " + newest);
        }
        newestValid.merge(ofAll, token, Math::max);
        if (!worker.reads()) {
            newestValid.merge(ofWriters, token, Math::max);
        }
    }

    /** Where nothing goes wrong, who waits is woken by the release, and not by a timer. */
    private void checkPromptness(Worker worker, String name) {
        Long released = releasedNanos.get(name);
        // Where clocks run apart, a quorum refuses requests as late.
        boolean calm = world.plan.isCalm() && (world.plan.clocksWithin() || !world.plan.isQuorum());
        if (world.plan.kind() == LockKind.READ_WRITE_LOCK) {
            // A writer that gives up lets the readers behind it in, and nothing was released.
            return;
        }
        if (!calm || released == null || released < worker.joinedNanos) {
            return;
        }
        long took = world.now - released;
        // Rivals of a quorum may split the vote, and try again after a random delay. A claim window is longer.
        long most = world.plan.isQuorum() ? 500_000_000L : 20_000_000L;
        if (took > most + 60 * world.plan.latencyNanos()) {
            fail(worker + " was woken " + took / 1000 + " µs after '" + name + "' had been released");
        }
    }

    void closing(Worker worker, Lease lease) {
        held.removeIf(each -> each.lease == lease);
        releasedNanos.put(lease.name(), world.now);
    }

    /** The process is gone; what it believed does not matter any more. */
    void gone(Client process) {
        held.removeIf(each -> each.worker.process == process);
        waiting.keySet().removeIf(key -> key.startsWith(process.id + " "));
    }

    /** If a majority is not known to be whole, what it begins anew with rests on its clocks. */
    void lostWrites() {
        long voting = world.servers.stream().filter(Server::votes).count();
        if (world.plan.isQuorum() && 2 * voting <= world.servers.size()) {
            forgetTokens();
        }
    }

    /** Across this the order of tokens is not promised. */
    void forgetTokens() {
        tokensMayRepeat = true;
        tokens.clear();
        newestValid.clear();
    }

    /** At most one lease of a name believes itself valid, by the clock of its own process. */
    void exclusion() {
        if (!world.plan.clocksWithin() || held.size() < 2) {
            return;
        }
        for (int i = 0; i < held.size(); i++) {
            Held one = held.get(i);
            if (!one.lease.isValid()) {
                continue;
            }
            for (int j = i + 1; j < held.size(); j++) {
                Held other = held.get(j);
                if (one.excludes(other) && other.lease.isValid() && !excused(one) && !excused(other)) {
                    fail("two leases of '" + one.name + "', slot " + one.lease.slot() + ", are valid: token "
                            + one.token + " of " + one.worker + " and token " + other.token + " of " + other.worker);
                }
            }
        }
    }

    private boolean excused(Held each) {
        return world.mayBeForgotten(each.name, each.token);
    }

    // ---- the resource

    void wrote(String name, long token, long basis, long before) {
        if (basis != before && !tokensMayRepeat) {
            fail("the number of '" + name + "' was " + before + " when token " + token + " wrote over the " + basis
                    + " it had read: an acknowledged write is lost");
        }
    }

    // ---- what is left behind

    /** A process that has nothing to do with a name has nothing at the server under that name. */
    void beforeAsking(Client process) {
        EngineView engineView = process.engineView();
        if (engineView == null || !nothingIsExcused() || engineView.underway() > 0 || !process.hasNothingOnItsWay()) {
            return;
        }
        for (Worker worker : process.workers) {
            if (worker.lease != null) {
                return;
            }
        }
        for (String name : world.names) {
            if (!engineView.knows(world.key(name))) {
                checkNothingOf(process, name);
            }
        }
    }

    private boolean nothingIsExcused() {
        return !world.plan.isQuorum() && world.plan.isExact();
    }

    private void checkNothingOf(Client process, String name) {
        String mark = process.mark();
        for (Server server : world.servers) {
            if (process.nodeFor(server).requests().wasCutOffForALease()) {
                continue;
            }
            for (String value : world.holdersAt(server, name)) {
                if (value.endsWith(mark)
                        && world.millisLeft(server, name, value) > slackMillis()
                        && !world.keptChecks.mayStand(value)) {
                    fail(server.name() + " keeps '" + name + "' for " + process.name() + ", which does not know of it");
                }
            }
            for (String entry : world.queueOf(server, name)) {
                if (entry.endsWith(mark)) {
                    fail(server.name() + " queues " + process.name() + " for '" + name
                            + "', and nobody there waits for it");
                }
            }
        }
    }

    /** Clocks may differ by this much at the end of a lease. */
    private long slackMillis() {
        return world.plan.lease().toMillis() / 50 + 5;
    }

    /** Faults have stopped, everybody has let go, a lease has passed. */
    void atEnd() {
        for (Client process : world.processes) {
            EngineView engineView = process.engineView();
            if (process.alive && engineView != null && engineView.alarms() != 0) {
                fail(process.name() + " has nothing to do and keeps " + engineView);
            }
        }
        for (Server server : world.servers) {
            for (String name : world.names) {
                if (!world.holdersAt(server, name).stream().allMatch(world.keptChecks::mayStand)) {
                    fail(server.name() + " still keeps '" + name + "' a lease after everybody has let go");
                }
            }
        }
    }

    /** Even what the dead have left behind goes by itself. */
    void longAfter() {
        for (Server server : world.servers) {
            for (String key : server.memory.keys()) {
                if (!key.endsWith(":fence") && !key.equals(SimulatedBackends.admissionKey())) {
                    fail(server.name() + " keeps " + key + " for ever");
                }
            }
        }
    }
}
