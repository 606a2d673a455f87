package dev.holdfast.simulation;

import dev.holdfast.LockKind;
import java.util.HashMap;
import java.util.Map;

/**
 * Looks at the world now and then: is somebody kept waiting for a lock that nobody has, and is something left of those who
 * want nothing any more? Judges a process only while it and the servers are well: what must hold then does not depend on
 * what the others suffer.
 */
final class WaitingChecks {
    private static final long SECOND = 1_000_000_000L;
    private static final long SHORTEST_INTERVAL_NANOS = SECOND / 20;
    private static final long LONGEST_INTERVAL_NANOS = SECOND / 2;
    /** So many requests and answers may follow each other before who has found the lock free has it. */
    private static final int STEPS = 10;

    /** Whoever waits at one server looks as often, at least. */
    private static final long ONE_SERVER_LOOK_NANOS = 7 * SECOND / 2;

    private final World world;
    private final long intervalNanos;
    private final Map<String, Long> keptWaitingSince = new HashMap<>();
    private final Map<String, Long> unwantedSince = new HashMap<>();
    private long nextNanos;

    WaitingChecks(World world) {
        this.world = world;
        this.intervalNanos = Math.max(
                SHORTEST_INTERVAL_NANOS,
                Math.min(LONGEST_INTERVAL_NANOS, world.plan.window().toNanos() / 4));
    }

    /** Before every event: between two events nothing changes but the time. */
    void beforeEvent() {
        if (world.now < nextNanos) {
            return;
        }
        nextNanos = world.now + intervalNanos;
        for (Client process : world.processes) {
            boolean well = process.isHealthy() && world.servers.stream().allMatch(Server::isHealthy);
            for (String name : world.names) {
                String key = process.id + " " + name;
                boolean free = well && isFree(name) && isNobodysTurn(process, name);
                checkWaiting(
                        process, name, lasts(keptWaitingSince, key, free && world.checks.isWaiting(process, name)));
                checkNothingLeft(process, name, lasts(unwantedSince, key, well && !process.isConcernedWith(name)));
            }
        }
    }

    /** Somebody has begun to ask for this name, has it, or lets go: what was seen before is over. */
    void changed(Client process, String name) {
        unwantedSince.remove(process.id + " " + name);
        keptWaitingSince.keySet().removeIf(key -> key.endsWith(" " + name));
    }

    /** For how long it has been so, at every look. */
    private long lasts(Map<String, Long> since, String key, boolean holds) {
        if (!holds) {
            since.remove(key);
            return 0;
        }
        return world.now - since.computeIfAbsent(key, unused -> world.now);
    }

    // ---- waiters

    /** A majority would give its vote: the lock is absent there, or kept for whoever is next. */
    private boolean isFree(String name) {
        if (world.plan.kind() != LockKind.LOCK) {
            return !world.plan.isQuorum() && hasRoom(name);
        }
        long free = world.servers.stream()
                .filter(server -> {
                    String value = world.lockAt(server, name);
                    return value == null || isReservation(value);
                })
                .count();
        return 2 * free > world.servers.size();
    }

    /** Whether the server has something for everybody: some know of one permit less. */
    private boolean hasRoom(String name) {
        int holders = world.holdersAt(world.servers.get(0), name).size();
        return world.plan.kind() == LockKind.READ_WRITE_LOCK
                ? holders == 0
                : holders < Math.max(1, world.plan.permits() - 1);
    }

    /** Who was told that it is its turn, and is in no state to hear it, costs the others the time it has to come. */
    private boolean isNobodysTurn(Client except, String name) {
        for (Server server : world.servers) {
            String value = world.lockAt(server, name);
            if (value != null && isReservation(value)) {
                for (Client process : world.processes) {
                    if (process != except && value.endsWith(process.mark()) && !process.isReached()) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private boolean isReservation(String value) {
        return world.plan.isQuorum() && ServerChecks.word(value, 2).equals("0");
    }

    /** Until it looks; a second for the pause after a failure, one for rivals that split the vote. */
    private void checkWaiting(Client process, String name, long lastsNanos) {
        long look = world.plan.isQuorum() ? world.plan.window().toNanos() : ONE_SERVER_LOOK_NANOS;
        long bound = look + 2 * SECOND + STEPS * world.plan.timeout().toNanos();
        if (lastsNanos > bound && world.plan.clocksWithin()) {
            world.checks.fail(process.name() + " has waited for " + lastsNanos / 1_000_000 + " ms for '" + name
                    + "', which nobody has");
        }
    }

    // ---- what is left behind

    /** A second after it can be reached, no server keeps anything for a process that does not want it. */
    private void checkNothingLeft(Client process, String name, long lastsNanos) {
        if (lastsNanos < SECOND + STEPS * world.plan.timeout().toNanos()
                || !world.plan.isExact()
                || !world.plan.isQuorum()) {
            return;
        }
        for (Server server : world.servers) {
            String value = world.lockAt(server, name);
            if (value != null && value.endsWith(process.mark()) && !world.keptChecks.mayStand(value)) {
                world.checks.fail(server.name() + " keeps '" + name + "' for " + process.name()
                        + ", where nobody has asked for it for " + lastsNanos / 1_000_000 + " ms");
            }
            // A server that restarted with its data has old places again. Whoever is told its turn there declines.
            if (!server.hasRestarted()
                    && world.queueOf(server, name).stream().anyMatch(entry -> entry.endsWith(process.mark()))) {
                world.checks.fail(server.name() + " queues " + process.name() + " for '" + name
                        + "', where nobody has waited for it for " + lastsNanos / 1_000_000 + " ms");
            }
        }
    }
}
