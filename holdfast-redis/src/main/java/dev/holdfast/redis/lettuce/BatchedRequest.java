package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.RequestBatch;
import dev.holdfast.redis.node.Script;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A {@link RequestBatch} as one request of Lettuce's. */
final class BatchedRequest {
    /** The script failed as a whole. What the server says of lines is about this one. */
    static final class Failure extends RedisCommandExecutionException {
        private static final long serialVersionUID = 1;

        final Script script;

        Failure(String said, Script script) {
            super(said);
            this.script = script;
        }
    }

    private final RequestBatch batch;
    private final Call call;
    private final Consumer<Request> sender;

    private BatchedRequest(RequestBatch batch, Consumer<Request> sender) {
        this.batch = batch;
        this.call = new Call(batch.script(), batch.keys(), batch.arguments());
        this.sender = sender;
    }

    /** Sends requests that can share as few. */
    static void send(List<Request> requests, Consumer<Request> sender) {
        RequestBatch.send(requests, new RequestBatch.Sender<>() {
            @Override
            public void sendAlone(Request request) {
                sender.accept(request);
            }

            @Override
            public void sendBatch(RequestBatch batch) {
                sender.accept(new BatchedRequest(batch, sender).request());
            }
        });
    }

    private Request request() {
        return new Request(CommandType.EVALSHA, call, (reply, failure) -> {
            if (failure != null && LettuceNode.isNoScript(failure) && batch.hasEveryoneWaited()) {
                // Nothing was done. EVAL also makes the server remember this script.
                sender.accept(new Request(CommandType.EVAL, call.teaching(), this::ended));
            } else {
                ended(reply, failure);
            }
        });
    }

    private void ended(List<Object> reply, @Nullable Throwable failure) {
        if (failure == null) {
            batch.distribute(reply);
        } else if (failure instanceof RedisCommandExecutionException) {
            batch.fail(new Failure(String.valueOf(failure.getMessage()), batch.script()));
        } else {
            batch.fail(failure);
        }
    }
}
