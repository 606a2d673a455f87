package dev.holdfast.simulation;

import dev.holdfast.simulation.Path.Connection;
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
            process.ports().forEach(port -> port.path().heal());
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
        Path path = process.portTo(server).path();
        long until = world.now + world.faultNanos();
        switch (fault) {
            case PAUSE -> process.pause(until);
            case STALL -> {}
            case CRASH -> end(process, () -> process.crash(false));
            case POWER_LOSS -> end(process, () -> process.crash(true));
            case CLOSE -> world.at(world.now, process, () -> end(process, process::close));
            case SLOW_REQUESTS -> {
                path.slowUpUntil = until;
                path.slowByNanos = world.faultNanos();
            }
            case SLOW_ANSWERS -> {
                path.slowDownUntil = until;
                path.slowByNanos = world.faultNanos();
            }
            case CUT -> cut(path, until);
            case RESET -> reset(process.portTo(server));
            case DUPLICATE -> path.duplicates += (int) world.between(1, 6);
            case SERVER_PAUSE -> server.pause(until);
            case SERVER_CRASH, SERVER_AMNESIA, SERVER_LOSES_SECOND, FAILOVER -> server.crash(fault, until - world.now);
            case CLOCK_JUMP -> server.setClock((world.percent(50) ? 1 : -1) * world.faultNanos() / 1000);
        }
    }

    /** Another one takes its place after a while. */
    private void end(Client process, Runnable how) {
        if (process.alive) {
            how.run();
            world.checks.gone(process);
            world.at(world.now + world.exponential(world.plan.lease().toNanos() / 2), () -> {
                if (!stopped) {
                    world.newProcess();
                }
            });
        }
    }

    private void cut(Path path, long until) {
        path.cutUntil = Math.max(path.cutUntil, until);
    }

    private void reset(Port port) {
        List<Connection> standing = port.standing();
        if (!standing.isEmpty()) {
            standing.get((int) world.below(standing.size())).reset(world.now + world.latency());
        }
    }
}
