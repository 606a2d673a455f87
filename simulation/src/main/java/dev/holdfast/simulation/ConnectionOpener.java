package dev.holdfast.simulation;

import dev.holdfast.redis.node.RedisNode.Identity;
import dev.holdfast.simulation.Route.Connection;
import dev.holdfast.spi.Environment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Opens a connection, and after a failure another one with a growing pause, as the node over Lettuce does. One at a time. */
final class ConnectionOpener {
    private static final long FIRST_BACKOFF_NANOS = 20_000_000;
    private static final int MOST_DOUBLINGS = 6;

    /** What the connection is for. */
    interface Opening {
        /** The server has heard the first request of the connection. */
        void atServer(Connection fresh);

        void opened(Connection fresh, Identity server);

        void failed();
    }

    private final World world;
    private final Client process;
    private final Route route;
    private final Opening opening;
    private boolean attempting;
    private boolean stopped;
    private int failures;

    ConnectionOpener(World world, Client process, Route route, Opening opening) {
        this.world = world;
        this.process = process;
        this.route = route;
        this.opening = opening;
    }

    void attempt() {
        if (attempting || stopped) {
            return;
        }
        attempting = true;
        Connection fresh = route.new Connection();
        CompletableFuture<Identity> greeting = new CompletableFuture<>();
        Environment.Scheduled limit = process.schedule(world.plan.timeout().toNanos(), () -> greeting.cancel(false));
        if (route.server.refusesConnections()) {
            world.at(world.now + 2 * world.latency(), process, () -> greeting.cancel(false));
        }
        Identity[] said = new Identity[1];
        fresh.sendUp(() -> route.server.receive(fresh, () -> greet(fresh, said), answer -> greeting.complete(said[0])));
        fresh.onBroken = () -> greeting.cancel(false);
        var unused = greeting.whenComplete((id, failure) -> {
            limit.cancel();
            attempting = false;
            if (failure != null || stopped) {
                fresh.hangUp();
                failed();
            } else {
                failures = 0;
                opening.opened(fresh, id);
            }
        });
    }

    /** The identity before anything else. */
    private Server.Answer greet(Connection fresh, Identity[] said) {
        said[0] = route.server.identity();
        opening.atServer(fresh);
        return new Server.Answer(List.of(), null);
    }

    private void failed() {
        if (stopped) {
            return;
        }
        opening.failed();
        long backoff = FIRST_BACKOFF_NANOS << Math.min(failures++, MOST_DOUBLINGS);
        process.schedule(backoff / 2 + (long) (process.random().nextDouble() * backoff), this::attempt);
    }

    /** No attempt is begun any more, and none that is under way counts. */
    void stop() {
        stopped = true;
    }
}
