package dev.holdfast.simulation;

import dev.holdfast.redis.SimulatedServer;
import dev.holdfast.simulation.Path.Connection;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One process's node: behaves towards the backend as the one over Lettuce does. Two connections, restored with a backoff;
 * a request is sent once, times out, and fails if its connection breaks; two timeouts without an answer end a connection.
 */
final class Port implements SimulatedServer {
    private static final int SILENT_TIMEOUTS = 2;
    private static final long FIRST_BACKOFF_NANOS = 20_000_000;
    private static final int MOST_DOUBLINGS = 6;

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
                if (++silentTimeouts >= SILENT_TIMEOUTS && commands == via) {
                    silentTimeouts = 0;
                    via.hangUp();
                    lost(via);
                }
                answer.completeExceptionally(new TimeoutException(address() + " has not answered"));
            }
        }
    }

    private final World world;
    private final Client process;
    private final Path path;
    private final Server server;
    private final Set<Pending> pending = new LinkedHashSet<>();
    private final Dialing commandDialing = new Dialing(false);
    private final Dialing inboxDialing = new Dialing(true);
    private @Nullable Connection commands;
    private @Nullable Connection inbox;
    private @Nullable Ears ears;
    private String channel = "";
    private Identity identity = new Identity("", "");
    private int silentTimeouts;
    private long failingSince = Long.MAX_VALUE;
    private boolean wasCutOffForALease;
    private boolean closed;

    Port(World world, Client process, Path path) {
        this.world = world;
        this.process = process;
        this.path = path;
        this.server = path.server;
    }

    /** As the first connection, for which a caller waits. False: not to be had now. */
    boolean connect() {
        if (commands != null) {
            return true;
        }
        if (!server.up || world.now < path.cutUntil) {
            return false;
        }
        adopt(path.new Connection());
        identity = server.identity();
        return true;
    }

    Path path() {
        return path;
    }

    @Override
    public String address() {
        return server.name();
    }

    @Override
    public void open(Environment environment, Ears listener, String inboxChannel) {
        ears = listener;
        channel = inboxChannel;
        if (commands == null) {
            commandDialing.attempt();
        }
        inboxDialing.attempt();
    }

    @Override
    public Identity identity() {
        return identity;
    }

    @Override
    public CompletionStage<Identity> identify() {
        Identity[] said = new Identity[1];
        return dispatch("INFO", () -> {
                    said[0] = server.identity();
                    return new Server.Answer(List.of(), null);
                })
                .thenApply(answer -> identity = said[0]);
    }

    // ---- requests

    @Override
    public CompletionStage<List<Object>> eval(
            @Nullable Identity only, String script, String source, String[] keys, String[] arguments) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        send(only, script, source, false, keys, arguments, answer);
        return answer;
    }

    private void send(
            @Nullable Identity only,
            String script,
            String source,
            boolean withSource,
            String[] keys,
            String[] arguments,
            CompletableFuture<List<Object>> answer) {
        if (only != null && !only.equals(identity)) {
            answer.completeExceptionally(new NotSentException(address() + " is another server by now", null));
            return;
        }
        var unused = dispatch(script, () -> server.eval(script, source, withSource, keys, arguments))
                .whenComplete((said, failure) -> {
                    if (failure != null) {
                        answer.completeExceptionally(failure);
                    } else if (said.error() != null && said.error().startsWith("NOSCRIPT")) {
                        send(only, script, source, true, keys, arguments, answer);
                    } else {
                        complete(answer, said);
                    }
                });
    }

    @Override
    public CompletionStage<List<Object>> ask(String command) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        var unused = dispatch(command, server::time).whenComplete((said, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else {
                complete(answer, said);
            }
        });
        return answer;
    }

    private static void complete(CompletableFuture<List<Object>> answer, Server.Answer said) {
        if (said.reply() == null) {
            answer.completeExceptionally(new IllegalStateException(said.error()));
        } else {
            answer.complete(said.reply());
        }
    }

    private CompletableFuture<Server.Answer> dispatch(String what, Server.Request request) {
        Connection connection = commands;
        if (connection == null) {
            failed();
            return CompletableFuture.failedFuture(new NotSentException("There is no connection to " + address(), null));
        }
        Pending waiting = new Pending(connection);
        if (world.trace.telling) {
            world.trace.tell(world.now, process.name(), "  sends " + what + " to " + address());
        }
        Server.Request traced = () -> traced(what, request);
        connection.sendUp(() -> server.receive(connection, traced, waiting::answered));
        if (path.duplicates > 0) {
            path.duplicates--;
            Connection other = path.new Connection();
            long late = world.now + world.below(2 * world.plan.timeout().toNanos());
            world.at(late, () -> other.sendUp(() -> server.receive(other, traced, ignored -> {})));
            world.at(late, other::hangUp);
        }
        return waiting.answer;
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

    // ---- connections

    /** At most one attempt at a time. */
    private final class Dialing {
        private final boolean forInbox;
        private boolean attempting;
        private int failures;

        Dialing(boolean forInbox) {
            this.forInbox = forInbox;
        }

        void attempt() {
            if (attempting || closed) {
                return;
            }
            attempting = true;
            Connection fresh = path.new Connection();
            CompletableFuture<Identity> greeting = new CompletableFuture<>();
            Environment.Scheduled limit =
                    process.schedule(world.plan.timeout().toNanos(), () -> greeting.cancel(false));
            if (server.refusesConnections()) {
                world.at(world.now + 2 * world.latency(), process, () -> greeting.cancel(false));
            }
            Identity[] said = new Identity[1];
            fresh.sendUp(() -> server.receive(fresh, () -> greet(fresh, said), answer -> greeting.complete(said[0])));
            fresh.onBroken = () -> greeting.cancel(false);
            var unused = greeting.whenComplete((id, failure) -> {
                limit.cancel();
                attempting = false;
                if (failure != null || closed) {
                    fresh.hangUp();
                    failed();
                } else {
                    failures = 0;
                    opened(fresh, id);
                }
            });
        }

        /** The identity before anything else. */
        private Server.Answer greet(Connection fresh, Identity[] said) {
            said[0] = server.identity();
            if (forInbox) {
                server.subscribe(fresh, channel);
            }
            return new Server.Answer(List.of(), null);
        }

        private void opened(Connection fresh, Identity id) {
            if (forInbox) {
                Connection old = inbox;
                inbox = fresh;
                fresh.onBroken = () -> lost(fresh);
                if (old != null) {
                    old.hangUp();
                }
                hear(Ears::subscribed);
            } else {
                adopt(fresh);
                identity = id;
                hear(Ears::reconnected);
            }
        }

        private void failed() {
            if (closed) {
                return;
            }
            if (forInbox) {
                hear(each -> each.notSubscribed(new NotSentException("There is no connection to " + address(), null)));
            }
            long backoff = FIRST_BACKOFF_NANOS << Math.min(failures++, MOST_DOUBLINGS);
            process.schedule(backoff / 2 + (long) (process.random().nextDouble() * backoff), this::attempt);
        }
    }

    private void hear(java.util.function.Consumer<Ears> what) {
        if (ears != null && !closed) {
            what.accept(ears);
        }
    }

    private void adopt(Connection connection) {
        commands = connection;
        connection.onBroken = () -> lost(connection);
    }

    /** Whatever was under way on it fails, and another one is opened. */
    private void lost(Connection connection) {
        if (connection == inbox) {
            inbox = null;
            inboxDialing.attempt();
            return;
        }
        if (connection == commands) {
            commands = null;
        }
        for (Pending each : List.copyOf(pending)) {
            if (each.via == connection && pending.remove(each)) {
                failed();
                each.timer.cancel();
                each.answer.completeExceptionally(new IOException("The connection to " + address() + " broke"));
            }
        }
        if (commands == null) {
            commandDialing.attempt();
        }
    }

    /** Through a connection that is to be replaced too: until it is closed both are subscribed. */
    void message(Connection connection, String text) {
        if (!closed && connection.clientOpen) {
            world.trace.mark(world.now, process.id, text.length());
            if (world.trace.telling) {
                world.trace.tell(world.now, process.name(), "  gets the push " + text);
            }
            hear(each -> each.message(text));
        }
    }

    @Override
    public boolean isSubscribed() {
        return inbox != null;
    }

    @Override
    public void replaceInbox() {
        inboxDialing.attempt();
    }

    /** For faults: what may break. */
    List<Connection> standing() {
        return new ArrayList<>(Arrays.asList(commands, inbox).stream()
                .filter(each -> each != null)
                .toList());
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

    boolean hasPending() {
        return !pending.isEmpty();
    }

    @Override
    public void close() {
        closed = true;
        for (Connection each : standing()) {
            each.hangUp();
        }
        commands = null;
        inbox = null;
        for (Pending each : List.copyOf(pending)) {
            pending.remove(each);
            each.timer.cancel();
            each.answer.completeExceptionally(new IOException("Closed"));
        }
    }
}
