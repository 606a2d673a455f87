package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Nothing but the crossing from one package to the other. */
final class SimulatedNode implements RedisNode {
    private final SimulatedServer server;

    SimulatedNode(SimulatedServer server) {
        this.server = server;
    }

    @Override
    public String address() {
        return server.address();
    }

    @Override
    public void open(Environment environment, Listener listener, String inbox) {
        server.open(
                environment,
                new SimulatedServer.Ears() {
                    @Override
                    public void reconnected() {
                        listener.reconnected();
                    }

                    @Override
                    public void subscribed() {
                        listener.subscribed();
                    }

                    @Override
                    public void notSubscribed(Throwable why) {
                        listener.notSubscribed(why);
                    }

                    @Override
                    public void message(String text) {
                        listener.message(text);
                    }
                },
                inbox);
    }

    @Override
    public Identity identity() {
        return known(server.identity());
    }

    static Identity known(SimulatedServer.Identity identity) {
        return new Identity(identity.runId(), identity.replicationId(), "7.0.15", true);
    }

    @Override
    public CompletionStage<List<Object>> eval(Script script, String[] keys, String[] arguments) {
        return numbers(server.eval(null, script.name(), script.source(), keys, arguments));
    }

    @Override
    public CompletionStage<List<Object>> evalAt(Identity only, Script script, String[] keys, String[] arguments) {
        SimulatedServer.Identity meant = new SimulatedServer.Identity(only.runId(), only.replicationId());
        return numbers(server.eval(meant, script.name(), script.source(), keys, arguments));
    }

    /** With the failure as it came: a stage behind another would wrap it. */
    private static CompletionStage<List<Object>> numbers(CompletionStage<List<Object>> answer) {
        CompletableFuture<List<Object>> read = new CompletableFuture<>();
        answer.whenComplete((reply, failure) -> {
            if (failure == null) {
                read.complete(Wire.numbers(reply));
            } else {
                read.completeExceptionally(failure);
            }
        });
        return read;
    }

    @Override
    public CompletionStage<Identity> identify() {
        return server.identify().thenApply(SimulatedNode::known);
    }

    @Override
    public CompletionStage<List<Object>> ask(String command, String... arguments) {
        return server.ask(command);
    }

    @Override
    public boolean isSubscribed() {
        return server.isSubscribed();
    }

    @Override
    public void replaceInbox() {
        server.replaceInbox();
    }

    @Override
    public void close() {
        server.close();
    }
}
