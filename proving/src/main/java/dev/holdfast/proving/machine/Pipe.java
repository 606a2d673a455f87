package dev.holdfast.proving.machine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One direction of a connection. Only the network's thread touches it. */
final class Pipe {
    private static final int BUFFER_BYTES = 16 * 1024;
    /** Nobody may fill our memory with what is held back. */
    private static final int MOST_CHUNKS = 1000;

    private final Link link;
    private final boolean request;
    private final SocketChannel from;
    private final SocketChannel to;
    private final Deque<Chunk> chunks = new ArrayDeque<>();
    private @Nullable Pipe other;
    private @Nullable SelectionKey key;
    private boolean ended;
    private boolean endPassedOn;

    private record Chunk(long dueNanos, ByteBuffer bytes) {}

    Pipe(Link link, boolean request, SocketChannel from, SocketChannel to) {
        this.link = link;
        this.request = request;
        this.from = from;
        this.to = to;
    }

    void join(Pipe opposite, SelectionKey itsKey) {
        other = opposite;
        key = itsKey;
    }

    Pipe other() {
        return Objects.requireNonNull(other, "joined");
    }

    private SelectionKey key() {
        return Objects.requireNonNull(key, "joined");
    }

    /** Takes what the sender has sent. */
    void read() {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try {
            if (from.read(buffer) < 0) {
                ended = true;
            } else {
                chunks.add(new Chunk(System.nanoTime() + link.delayNanos(), buffer.flip()));
            }
        } catch (IOException reset) {
            ended = true;
        }
        listen();
    }

    /** Listens for what makes sense: more from its sender, and room at the sender's side for what the other direction has to deliver. */
    private void listen() {
        if (key().isValid()) {
            boolean more = !ended && chunks.size() < MOST_CHUNKS;
            boolean room = other().isWaitingForRoom();
            key().interestOps((more ? SelectionKey.OP_READ : 0) | (room ? SelectionKey.OP_WRITE : 0));
        }
    }

    private boolean waitingForRoom;

    private boolean isWaitingForRoom() {
        return waitingForRoom;
    }

    /** Delivers what is due. */
    void write(long now) {
        boolean waited = waitingForRoom;
        waitingForRoom = false;
        try {
            while (!link.isHeld(request) && !chunks.isEmpty() && chunks.peek().dueNanos() - now <= 0) {
                ByteBuffer bytes = chunks.peek().bytes();
                int unused = to.write(bytes);
                if (bytes.hasRemaining()) {
                    waitingForRoom = true;
                    break;
                }
                chunks.remove();
                listen();
            }
            if (ended && !endPassedOn && chunks.isEmpty() && !link.isHeld(request)) {
                endPassedOn = true;
                to.shutdownOutput();
            }
        } catch (IOException receiverGone) {
            breakBoth();
            return;
        }
        if (waited != waitingForRoom) {
            other().listen();
        }
        if (endPassedOn && other().endPassedOn) {
            Network.close(from);
            Network.close(to);
        }
    }

    void breakBoth() {
        Network.reset(from);
        Network.reset(to);
    }

    boolean isClosed() {
        return !from.isOpen() && !to.isOpen();
    }

    long nanosUntilDue(long now) {
        Chunk next = chunks.peek();
        return next == null || link.isHeld(request) || waitingForRoom
                ? Long.MAX_VALUE
                : Math.max(0, next.dueNanos() - now);
    }
}
