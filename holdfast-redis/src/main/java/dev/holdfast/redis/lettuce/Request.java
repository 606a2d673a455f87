package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.RequestBatch;
import dev.holdfast.redis.node.Script;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One request, as Lettuce writes it, reads its answer and completes it. It ends once, and tells so on the thread that
 * brings the end, with no future in between.
 */
final class Request implements RedisCommand<String, String, List<Object>>, RequestBatch.Item {
    private static final CommandArgs<String, String> IN_THE_FRAME = new CommandArgs<>(StringCodec.UTF8);

    /** Hears how it ended: with an answer, or with a failure. */
    interface End {
        void reached(List<Object> reply, @Nullable Throwable failure);
    }

    /** What it says. */
    interface Content {
        Frame frame();
    }

    private final CommandType type;
    private final Content content;
    private final boolean asking;
    private final End end;
    private final AtomicBoolean done = new AtomicBoolean();
    /** Touched by the I/O thread alone. */
    private boolean sent;

    private CommandOutput<String, String, List<Object>> reply = new Reply();
    /** Set before it is sent. */
    long deadlineNanos;

    Request(CommandType type, Content content, End end) {
        this(type, content, false, end);
    }

    /** @param asking whether ASKING comes right before it: see {@link AskingWriter} */
    Request(CommandType type, Content content, boolean asking, End end) {
        this.type = type;
        this.content = content;
        this.asking = asking;
        this.end = end;
    }

    boolean isAsking() {
        return asking;
    }

    @Override
    public void encode(ByteBuf out) {
        if (sent) {
            throw new IllegalStateException("A request is never sent twice");
        }
        sent = true;
        content.frame().writeTo(out);
    }

    /** Whether it may be sent in a {@link RequestBatch}. */
    boolean canShare() {
        return content instanceof Call call && RequestBatch.takes(call.script);
    }

    /** Of a request that can share. */
    Call call() {
        return (Call) content;
    }

    // ---- in a batch

    @Override
    public Script script() {
        return call().script;
    }

    @Override
    public String[] keys() {
        return call().keys;
    }

    @Override
    public String[] arguments() {
        return call().arguments;
    }

    @Override
    public void answer(List<Object> answer) {
        if (done.compareAndSet(false, true)) {
            end.reached(answer, null);
        }
    }

    @Override
    public void failedAlone(String error) {
        completeExceptionally(new RedisCommandExecutionException(error));
    }

    @Override
    public void fail(Throwable failure) {
        completeExceptionally(failure);
    }

    // ---- by itself

    @Override
    public void complete() {
        if (done.compareAndSet(false, true)) {
            boolean refused = reply.hasError();
            end.reached(reply.get(), refused ? new RedisCommandExecutionException(reply.getError()) : null);
        }
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        boolean first = done.compareAndSet(false, true);
        if (first) {
            end.reached(List.of(), failure);
        }
        return first;
    }

    @Override
    public void cancel() {
        completeExceptionally(new CancellationException("it was closed"));
    }

    @Override
    public boolean isDone() {
        return done.get();
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    @Override
    public CommandType getType() {
        return type;
    }

    @Override
    public CommandArgs<String, String> getArgs() {
        return IN_THE_FRAME;
    }

    @Override
    public CommandOutput<String, String, List<Object>> getOutput() {
        return reply;
    }

    @Override
    public void setOutput(CommandOutput<String, String, List<Object>> output) {
        reply = output;
    }
}
