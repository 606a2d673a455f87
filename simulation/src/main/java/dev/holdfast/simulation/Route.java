package dev.holdfast.simulation;

import java.util.ArrayList;
import java.util.List;

/** The network between one process and one server, and the connections over it. */
final class Route {
    private static final int LOST_PERCENT = 40;

    private final World world;
    final Client process;
    final Server server;
    final List<Connection> connections = new ArrayList<>();
    long slowUpUntil;
    long slowDownUntil;
    long slowByNanos;
    long cutUntil;
    int duplicates;

    Route(World world, Client process, Server server) {
        this.world = world;
        this.process = process;
        this.server = server;
    }

    /** One TCP connection. What is sent over it arrives in order, or from some moment on not at all. */
    final class Connection {
        boolean clientOpen = true;
        boolean serverOpen = true;
        private boolean upLost;
        private boolean downLost;
        private long lastUp;
        private long lastDown;
        private int underwayUp;
        /** Called at the client if the connection breaks under it. */
        Runnable onBroken = () -> {};

        Connection() {
            connections.removeIf(old -> !old.clientOpen && !old.serverOpen);
            connections.add(this);
        }

        Route route() {
            return Route.this;
        }

        Client process() {
            return process;
        }

        /** Whatever the server does with it happens when it arrives, if it does. */
        void sendUp(Runnable atServer) {
            long sent = world.now + process.lagNanos();
            if (upLost || isLost(sent)) {
                upLost = true;
                noticedLater();
                return;
            }
            lastUp = Math.max(lastUp, arrival(sent, slowUpUntil));
            underwayUp++;
            world.at(lastUp, () -> {
                underwayUp--;
                if (serverOpen) {
                    atServer.run();
                }
            });
        }

        void sendDown(Runnable atClient) {
            if (downLost || isLost(world.now)) {
                downLost = true;
                noticedLater();
                return;
            }
            lastDown = Math.max(lastDown, arrival(world.now, slowDownUntil));
            world.at(lastDown, process, () -> {
                if (clientOpen) {
                    atClient.run();
                }
            });
        }

        /** Whether it leads anywhere; nobody may have noticed that it does not. */
        boolean isHealthy() {
            return clientOpen && serverOpen && !upLost && !downLost;
        }

        boolean hasNothingOnItsWay() {
            return underwayUp == 0;
        }

        void loseDown() {
            downLost = true;
        }

        /** A connection can be dead for long without anybody telling the server. */
        private void noticedLater() {
            world.at(world.now + world.between(1_000_000_000L, 30_000_000_000L), () -> server.closed(this));
        }

        /** The client hangs up: the server learns of it behind everything that was sent before. */
        void hangUp() {
            if (clientOpen) {
                clientOpen = false;
                sendUp(() -> server.closed(this));
            }
        }

        /** The process is gone, and its kernel with it. */
        void vanish() {
            clientOpen = false;
            upLost = true;
            noticedLater();
        }

        /** Both sides hear that it is broken. What had not arrived does not arrive any more. */
        void reset(long heardNanos) {
            long dies = Math.max(world.now, lastUp - world.below(lastUp - world.now + 1));
            world.at(dies, () -> server.closed(this));
            upLost = true;
            downLost = true;
            world.at(Math.max(heardNanos, lastDown), process, () -> {
                if (clientOpen) {
                    clientOpen = false;
                    onBroken.run();
                }
            });
        }
    }

    boolean isHealthy() {
        return cutUntil <= world.now && slowUpUntil <= world.now && slowDownUntil <= world.now;
    }

    private boolean isLost(long atNanos) {
        return atNanos < cutUntil && world.percent(LOST_PERCENT);
    }

    private long arrival(long sentNanos, long slowUntil) {
        long delay = world.latency();
        if (sentNanos < slowUntil) {
            delay += world.below(slowByNanos);
        }
        // What a cut holds back is sent again by the kernel once the way is free.
        return sentNanos < cutUntil ? cutUntil + world.below(200_000_000L) + delay : sentNanos + delay;
    }

    void heal() {
        slowUpUntil = 0;
        slowDownUntil = 0;
        cutUntil = 0;
        duplicates = 0;
    }

    boolean hasNothingOnItsWay() {
        return connections.stream().allMatch(Connection::hasNothingOnItsWay);
    }
}
