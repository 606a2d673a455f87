package dev.holdfast.simulation;

import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.simulation.Route.Connection;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One process's node: behaves towards the backend as the one over Lettuce does. Two connections, restored with a backoff;
 * a request is sent once, times out, and fails if its connection breaks; two timeouts without an answer end a connection.
 */
final class SimulatedNode implements RedisNode {

    private final World world;
    private final Client process;
    private final Route route;
    private final Server server;
    private final Requests requests;
    private final BatchWriter writer;
    private final ConnectionOpener commandsOpener;
    private final ConnectionOpener inboxOpener;
    private @Nullable Connection commands;
    private @Nullable Connection inbox;
    private @Nullable Listener listener;
    private String channel = "";
    private Identity identity = Identity.UNKNOWN;
    private boolean closed;

    SimulatedNode(World world, Client process, Route route) {
        this.world = world;
        this.process = process;
        this.route = route;
        this.server = route.server;
        requests = new Requests(world, process, route, this::fellSilent);
        writer = new BatchWriter(process, world.plan.turnNanos(), this::send);
        commandsOpener = new ConnectionOpener(world, process, route, new CommandsOpening());
        inboxOpener = new ConnectionOpener(world, process, route, new InboxOpening());
    }

    /** As the first connection, for which a caller waits. False: not to be had now. */
    boolean connect() {
        if (commands != null) {
            return true;
        }
        if (!server.up || world.now < route.cutUntil) {
            return false;
        }
        adopt(route.new Connection());
        identity = server.identity();
        return true;
    }

    Route route() {
        return route;
    }

    @Override
    public String address() {
        return server.name();
    }

    @Override
    public void open(Environment environment, Listener listener, @Nullable LongFunction<String> inboxes) {
        this.listener = listener;
        // One channel for all connections: a simulated process has no copies.
        channel = Objects.requireNonNull(inboxes, "nothing is simulated that needs no inbox")
                .apply(0);
        if (commands == null) {
            commandsOpener.attempt();
        }
        inboxOpener.attempt();
    }

    @Override
    public Identity identity() {
        return identity;
    }

    @Override
    public CompletionStage<Identity> identify() {
        Identity[] said = new Identity[1];
        writer.write();
        return requests.send(commands, "INFO", () -> {
                    said[0] = server.identity();
                    return new Server.Answer(List.of(), null);
                })
                .thenApply(answer -> identity = said[0]);
    }

    // ---- requests

    @Override
    public CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        String released = world.endingChecks.sends(process, script, arguments);
        world.keptChecks.sends(script, arguments);
        var unused = writer.send(script, keys, arguments).whenComplete((said, failure) -> {
            if (released != null && failure == null) {
                world.endingChecks.answered(released, server, said);
            }
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else {
                complete(answer, said);
            }
        });
        return answer;
    }

    @Override
    public CompletionStage<List<Object>> evalAt(Identity only, Script script, String[] keys, String[] arguments) {
        return only.equals(identity)
                ? eval(script, keys, arguments)
                : CompletableFuture.failedFuture(new NotSentException(address() + " is another server by now", null));
    }

    /** Without the source first, as the node over Lettuce does; with it if the server does not know the script. */
    private CompletableFuture<Server.Answer> send(Script script, String[] keys, String[] arguments) {
        CompletableFuture<Server.Answer> answer = new CompletableFuture<>();
        send(script, false, keys, arguments, answer);
        return answer;
    }

    private void send(
            Script script,
            boolean withSource,
            String[] keys,
            String[] arguments,
            CompletableFuture<Server.Answer> answer) {
        var unused = requests.send(commands, script.name(), () -> server.eval(script, withSource, keys, arguments))
                .whenComplete((said, failure) -> {
                    if (failure != null) {
                        answer.completeExceptionally(failure);
                    } else if (said.error() != null && said.error().startsWith("NOSCRIPT")) {
                        send(script, true, keys, arguments, answer);
                    } else {
                        answer.complete(said);
                    }
                });
    }

    @Override
    public CompletionStage<List<Object>> ask(String command, String... arguments) {
        CompletableFuture<List<Object>> answer = new CompletableFuture<>();
        writer.write();
        var unused = requests.send(commands, command, server::time).whenComplete((said, failure) -> {
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
            answer.complete(Wire.numbers(said.reply()));
        }
    }

    // ---- connections

    private final class CommandsOpening implements ConnectionOpener.Opening {
        @Override
        public void atServer(Connection fresh) {}

        @Override
        public void opened(Connection fresh, Identity id) {
            adopt(fresh);
            identity = id;
            tell(Listener::reconnected);
        }

        @Override
        public void failed() {}
    }

    private final class InboxOpening implements ConnectionOpener.Opening {
        @Override
        public void atServer(Connection fresh) {
            server.subscribe(fresh, channel);
        }

        @Override
        public void opened(Connection fresh, Identity id) {
            Connection old = inbox;
            inbox = fresh;
            fresh.onBroken = () -> lost(fresh);
            if (old != null) {
                old.hangUp();
            }
            tell(each -> each.subscribed(channel));
        }

        @Override
        public void failed() {
            tell(each -> each.notSubscribed(new NotSentException("There is no connection to " + address(), null)));
        }
    }

    private void tell(Consumer<Listener> news) {
        if (listener != null && !closed) {
            news.accept(listener);
        }
    }

    private boolean fellSilent(Connection connection) {
        if (connection != commands) {
            return false;
        }
        connection.hangUp();
        lost(connection);
        return true;
    }

    private void adopt(Connection connection) {
        commands = connection;
        connection.onBroken = () -> lost(connection);
    }

    /** Whatever was under way on it fails, and another one is opened. */
    private void lost(Connection connection) {
        if (connection == inbox) {
            inbox = null;
            inboxOpener.attempt();
            return;
        }
        if (connection == commands) {
            commands = null;
            writer.fail(new IOException("The connection to " + address() + " broke"));
        }
        requests.broken(connection);
        if (commands == null) {
            commandsOpener.attempt();
        }
    }

    /** Through a connection that is to be replaced too: until it is closed both are subscribed. */
    void message(Connection connection, String text) {
        if (!closed && connection.clientOpen) {
            world.trace.mark(world.now, process.id, text.length());
            if (world.trace.telling) {
                world.trace.tell(world.now, process.name(), "  gets the push " + text);
            }
            tell(each -> each.message(text));
        }
    }

    @Override
    public boolean isSubscribed() {
        return inbox != null;
    }

    @Override
    public void replaceInbox() {
        inboxOpener.attempt();
    }

    /** Requests arrive, and their answers. */
    boolean isHealthy() {
        return commands != null && inbox != null && commands.isHealthy() && route.isHealthy();
    }

    /** What is pushed arrives. */
    boolean receivesPushes() {
        return inbox != null && inbox.isHealthy();
    }

    /** For faults: pushes get lost from here on, and neither side notices. */
    void silenceInbox() {
        if (inbox != null) {
            inbox.loseDown();
        }
    }

    /** For faults: what may break. */
    List<Connection> openConnections() {
        return new ArrayList<>(Arrays.asList(commands, inbox).stream()
                .filter(each -> each != null)
                .toList());
    }

    Requests requests() {
        return requests;
    }

    @Override
    public void close() {
        writer.write();
        closed = true;
        commandsOpener.stop();
        inboxOpener.stop();
        for (Connection each : openConnections()) {
            each.hangUp();
        }
        commands = null;
        inbox = null;
        requests.close();
    }
}
