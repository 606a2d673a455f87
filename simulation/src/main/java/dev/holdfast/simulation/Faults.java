package dev.holdfast.simulation;

import dev.holdfast.simulation.Route.Connection;
import java.util.ArrayList;
import java.util.List;

/** Lets things go wrong, one after the other and all at once. */
final class Faults {
    private final World world;
    private final List<Fault> kinds;
    private boolean stopped;

    Faults(World world) {
        this.world = world;
        kinds = new ArrayList<>(world.plan.faults());
        kinds.remove(Fault.STALL);
    }

    void begin() {
        if (!kinds.isEmpty()) {
            next();
        }
    }

    private void next() {
        world.at(world.now + world.exponential(world.plan.gapNanos()), () -> {
            if (!stopped) {
                happen(kinds.get((int) world.below(kinds.size())));
                next();
            }
        });
    }

    void stop() {
        stopped = true;
        for (Client process : world.processes) {
            process.nodes().forEach(node -> node.route().heal());
        }
    }

    private void happen(Fault drawn) {
        // A server of a quorum that restarted does not vote for long: mostly a majority is left to it.
        boolean spared = drawn.isCrashOfServer()
                && world.plan.isQuorum()
                && !world.percent(10)
                && 2
                                * world.servers.stream()
                                        .filter(each -> each.up && each.votes())
                                        .count()
                        <= world.servers.size() + 1;
        Fault fault = spared ? Fault.SERVER_PAUSE : drawn;
        List<Client> alive = world.alive();
        if (alive.isEmpty()) {
            return;
        }
        Client process = alive.get((int) world.below(alive.size()));
        Server server = world.servers.get((int) world.below(world.servers.size()));
        world.faultHappened(fault, fault.isAtServer() ? server.name() : process.name());
        Route route = process.nodeFor(server).route();
        long until = world.now + world.faultNanos();
        switch (fault) {
            case PAUSE -> process.pause(until);
            case STALL -> {}
            case CRASH -> end(process, () -> process.crash(false));
            case POWER_LOSS -> end(process, () -> process.crash(true));
            case CLOSE -> world.at(world.now, process, () -> end(process, process::close));
            case SLOW_REQUESTS -> {
                route.slowUpUntil = until;
                route.slowByNanos = world.faultNanos();
            }
            case SLOW_ANSWERS -> {
                route.slowDownUntil = until;
                route.slowByNanos = world.faultNanos();
            }
            case CUT -> cut(route, until);
            case RESET -> reset(process.nodeFor(server));
            case DUPLICATE -> route.duplicates += (int) world.between(1, 6);
            case SERVER_PAUSE -> server.pause(until);
            case SERVER_CRASH, SERVER_AMNESIA, SERVER_LOSES_SECOND, FAILOVER -> server.crash(fault, until - world.now);
            case MAJORITY_PAUSE -> pauseMajority(server, until);
            case FLUSH -> server.flush();
            case SILENT_INBOX -> process.nodeFor(server).silenceInbox();
            case CLOCK_JUMP -> server.setClock((world.percent(50) ? 1 : -1) * world.faultNanos() / 1000);
        }
    }

    /** Another one takes its place after a while. */
    private void end(Client process, Runnable how) {
        if (process.alive) {
            how.run();
            world.checks.gone(process);
            world.endingChecks.gone(process);
            world.at(world.now + world.exponential(world.plan.lease().toNanos() / 2), () -> {
                if (!stopped) {
                    world.newProcess();
                }
            });
        }
    }

    /** One server and those behind it. */
    private void pauseMajority(Server first, long until) {
        int size = world.servers.size();
        for (int i = 0; i <= size / 2; i++) {
            world.servers.get((first.number - 1 + i) % size).pause(until);
        }
    }

    private void cut(Route route, long until) {
        route.cutUntil = Math.max(route.cutUntil, until);
    }

    private void reset(SimulatedNode node) {
        List<Connection> openConnections = node.openConnections();
        if (!openConnections.isEmpty()) {
            openConnections.get((int) world.below(openConnections.size())).reset(world.now + world.latency());
        }
    }
}
