package dev.holdfast.simulation;

import dev.holdfast.simulation.Route.Connection;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The requests of one process to one server. Each is sent once, times out, and fails if its connection breaks. */
final class Requests {
    private static final int SILENT_TIMEOUTS = 2;

    private final World world;
    private final Client process;
    private final Route route;
    private final Server server;
    private final Predicate<Connection> onSilence;
    private final Set<Pending> pending = new LinkedHashSet<>();
    private int silentTimeouts;
    private long failingSince = Long.MAX_VALUE;
    private boolean wasCutOffForALease;

    /** @param onSilence some requests in a row got no answer over this connection; false if it is no longer in use */
    Requests(World world, Client process, Route route, Predicate<Connection> onSilence) {
        this.world = world;
        this.process = process;
        this.route = route;
        this.server = route.server;
        this.onSilence = onSilence;
    }

    /** A request under way. */
    private final class Pending {
        final Connection via;
        final CompletableFuture<Server.Answer> answer = new CompletableFuture<>();
        final Environment.Scheduled timer;

        Pending(Connection via) {
            this.via = via;
            this.timer = process.schedule(world.plan.timeout().toNanos(), this::timedOut);
            pending.add(this);
        }

        void answered(Server.Answer said) {
            if (pending.remove(this)) {
                timer.cancel();
                silentTimeouts = 0;
                reached();
                answer.complete(said);
            }
        }

        private void timedOut() {
            if (pending.remove(this)) {
                failed();
                if (++silentTimeouts >= SILENT_TIMEOUTS && onSilence.test(via)) {
                    silentTimeouts = 0;
                }
                answer.completeExceptionally(new TimeoutException(server.name() + " has not answered"));
            }
        }

        void fail(String why) {
            if (pending.remove(this)) {
                timer.cancel();
                answer.completeExceptionally(new IOException(why));
            }
        }
    }

    CompletableFuture<Server.Answer> send(@Nullable Connection connection, String what, Server.Request request) {
        if (connection == null) {
            failed();
            return CompletableFuture.failedFuture(
                    new NotSentException("There is no connection to " + server.name(), null));
        }
        Pending waiting = new Pending(connection);
        if (world.trace.telling) {
            world.trace.tell(world.now, process.name(), "  sends " + what + " to " + server.name());
        }
        Server.Request traced = () -> traced(what, request);
        connection.sendUp(() -> server.receive(connection, traced, waiting::answered));
        if (route.duplicates > 0) {
            route.duplicates--;
            duplicate(traced);
        }
        return waiting.answer;
    }

    /** Carried out once more, after a while, over another connection. */
    private void duplicate(Server.Request request) {
        Connection other = route.new Connection();
        long late = world.now + world.below(2 * world.plan.timeout().toNanos());
        world.at(late, () -> other.sendUp(() -> server.receive(other, request, ignored -> {})));
        world.at(late, other::hangUp);
    }

    private Server.Answer traced(String what, Server.Request request) {
        Server.Answer said = request.run();
        world.trace.mark(world.now, server.number, process.id);
        if (world.trace.telling) {
            String words = said.reply() == null ? said.error() : String.valueOf(said.reply());
            world.trace.tell(
                    world.now, server.name(), "  carries out " + what + " of " + process.name() + ": " + words);
        }
        return said;
    }

    /** Whatever was under way on this connection fails. */
    void broken(Connection connection) {
        for (Pending each : List.copyOf(pending)) {
            if (each.via == connection && pending.contains(each)) {
                failed();
                each.fail("The connection to " + server.name() + " broke");
            }
        }
    }

    void close() {
        List.copyOf(pending).forEach(each -> each.fail("Closed"));
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    private void failed() {
        failingSince = Math.min(failingSince, world.now);
    }

    private void reached() {
        wasCutOffForALease = wasCutOffForALease();
        failingSince = Long.MAX_VALUE;
    }

    /** Then a withdrawal may have been given up: the lock has expired by itself, a place in the queue has not. */
    boolean wasCutOffForALease() {
        return wasCutOffForALease
                || failingSince < world.now - world.plan.lease().toNanos() / 2;
    }
}
