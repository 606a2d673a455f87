package dev.holdfast.redis.lettuce;

import dev.holdfast.redis.node.RequestBatch;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Writes to the sockets of several servers at the end of a turn of their I/O thread. A system call for each request costs
 * more than all else that we do for it; and a server that gets many requests at once is woken once. What can share a
 * {@link RequestBatch} does.
 *
 * <p>Everything here happens on the I/O thread.
 */
final class CoalescingWriter extends ChannelOutboundHandlerAdapter {
    /** What is to be written at the end of this turn. */
    private static final class Turn {
        final Queue<CoalescingWriter> channels = new ArrayDeque<>();
        boolean crowded;
    }

    private static final FastThreadLocal<Turn> TURN = new FastThreadLocal<>() {
        @Override
        protected Turn initialValue() {
            return new Turn();
        }
    };

    private final List<Request> sharing = new ArrayList<>();
    private @Nullable ChannelHandlerContext context;
    private boolean waiting;

    // ---- what to write

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
        if (message instanceof Request request && request.canShare()) {
            sharing.add(request);
            promise.setSuccess();
            return;
        }
        // It may be the undo of one of those: what came before goes before.
        share(context);
        super.write(context, message, promise);
    }

    private void share(ChannelHandlerContext context) {
        // A loop, because a write may fail at once, and its caller may then ask for something else.
        while (!sharing.isEmpty()) {
            List<Request> these = List.copyOf(sharing);
            sharing.clear();
            try {
                BatchedRequest.send(these, request -> send(context, request));
            } catch (RuntimeException | Error e) {
                // Else nothing would ever be written again by this thread.
                these.forEach(request -> request.completeExceptionally(e));
            }
        }
    }

    private void send(ChannelHandlerContext context, Request request) {
        context.write(request).addListener(written -> {
            if (!written.isSuccess()) {
                request.completeExceptionally(written.cause());
            }
        });
        waitForTheEnd(context);
    }

    // ---- when

    @Override
    public void flush(ChannelHandlerContext context) {
        if (waiting) {
            TURN.get().crowded = true;
        }
        waitForTheEnd(context);
    }

    private void waitForTheEnd(ChannelHandlerContext context) {
        if (waiting) {
            return;
        }
        Turn turn = TURN.get();
        this.context = context;
        waiting = true;
        turn.channels.add(this);
        if (turn.channels.size() == 1) {
            EventLoop thread = context.channel().eventLoop();
            later(thread, turn, () -> end(thread, turn));
        }
    }

    private static void later(EventLoop thread, Turn turn, Runnable step) {
        try {
            thread.execute(step);
        } catch (RejectedExecutionException closing) {
            writeAll(turn);
        }
    }

    /** If many ask, those that are ready to run get the chance to ask for theirs before this goes out. */
    @SuppressWarnings("ThreadPriorityCheck") // Nothing rests on it: it saves system calls where the cores are busy.
    private static void end(EventLoop thread, Turn turn) {
        if (!turn.crowded) {
            writeAll(turn);
            return;
        }
        Thread.yield();
        later(thread, turn, () -> writeAll(turn));
    }

    private static void writeAll(Turn turn) {
        turn.crowded = false;
        for (CoalescingWriter channel = turn.channels.poll(); channel != null; channel = turn.channels.poll()) {
            channel.write();
        }
    }

    private void write() {
        if (waiting && context != null) {
            share(context);
            waiting = false;
            context.flush();
        }
    }

    /** What was asked before leaves before: it may be a release. */
    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
        write();
        super.close(context, promise);
    }

    @Override
    public void disconnect(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
        write();
        super.disconnect(context, promise);
    }
}
