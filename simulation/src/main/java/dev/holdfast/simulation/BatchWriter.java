package dev.holdfast.simulation;

import dev.holdfast.redis.node.RequestBatch;
import dev.holdfast.redis.node.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Writes the votes that a process asks of one node within a short time as few requests, as the node over Lettuce does when its I/O
 * thread is about to write. What is put together, and who gets which answer, is decided by the product's own {@link RequestBatch}.
 */
final class BatchWriter {
    /** Sends a script by itself. */
    interface Connection {
        CompletableFuture<Server.Answer> send(Script script, String[] keys, String[] arguments);
    }

    private final Client process;
    private final long turnNanos;
    private final Connection connection;
    private final List<Waiting> waiting = new ArrayList<>();

    /** @param turnNanos how long a request waits for others; zero if each is written at once */
    BatchWriter(Client process, long turnNanos, Connection connection) {
        this.process = process;
        this.turnNanos = turnNanos;
        this.connection = connection;
    }

    CompletableFuture<Server.Answer> send(Script script, String[] keys, String[] arguments) {
        if (turnNanos == 0 || !RequestBatch.takes(script)) {
            // It may be the undo of one of those that wait: what came before goes before.
            write();
            return connection.send(script, keys, arguments);
        }
        Waiting request = new Waiting(script, keys, arguments);
        waiting.add(request);
        if (waiting.size() == 1) {
            process.schedule(turnNanos, this::write);
        }
        return request.answer;
    }

    /** What waits is written now. */
    void write() {
        if (waiting.isEmpty()) {
            return;
        }
        List<Waiting> these = List.copyOf(waiting);
        waiting.clear();
        RequestBatch.send(these, new RequestBatch.Sender<>() {
            @Override
            public void sendAlone(Waiting request) {
                var unused = connection
                        .send(request.script, request.keys, request.arguments)
                        .whenComplete((said, failure) -> request.ended(said, failure));
            }

            @Override
            public void sendBatch(RequestBatch batch) {
                var unused = connection
                        .send(batch.script(), batch.keys(), batch.arguments())
                        .whenComplete((said, failure) -> {
                            if (failure != null) {
                                batch.fail(failure);
                            } else if (said.reply() == null) {
                                batch.fail(new IllegalStateException(said.error()));
                            } else {
                                batch.distribute(said.reply());
                            }
                        });
            }
        });
    }

    /** The connection is gone, and what waits with it: a request never goes to another server than it was meant for. */
    void fail(Throwable failure) {
        List<Waiting> these = List.copyOf(waiting);
        waiting.clear();
        these.forEach(request -> request.fail(failure));
    }

    private static final class Waiting implements RequestBatch.Item {
        private final Script script;
        private final String[] keys;
        private final String[] arguments;
        private final CompletableFuture<Server.Answer> answer = new CompletableFuture<>();

        Waiting(Script script, String[] keys, String[] arguments) {
            this.script = script;
            this.keys = keys;
            this.arguments = arguments;
        }

        void ended(Server.Answer said, Throwable failure) {
            if (failure == null) {
                answer.complete(said);
            } else {
                answer.completeExceptionally(failure);
            }
        }

        @Override
        public Script script() {
            return script;
        }

        @Override
        public String[] keys() {
            return keys;
        }

        @Override
        public String[] arguments() {
            return arguments;
        }

        @Override
        public boolean isDone() {
            return answer.isDone();
        }

        @Override
        public void answer(List<Object> reply) {
            answer.complete(new Server.Answer(reply, null));
        }

        @Override
        public void failedAlone(String error) {
            answer.complete(new Server.Answer(null, error));
        }

        @Override
        public void fail(Throwable failure) {
            answer.completeExceptionally(failure);
        }
    }
}
