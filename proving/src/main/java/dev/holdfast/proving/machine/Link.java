package dev.holdfast.proving.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The way from one client to one server. While a direction is held back nothing arrives that way; when it is let go, what was sent
 * meanwhile arrives late, as TCP does it after a cut. New connections are accepted in any case: a client cannot tell a cut from a server
 * that does not answer.
 */
public final class Link {
    private final Network network;
    private final ServerSocketChannel entrance;
    private final int port;
    private final int target;
    private final List<Pipe> pipes = new ArrayList<>();
    private boolean requestsHeld;
    private boolean repliesHeld;
    private long delayNanos;

    Link(Network network, ServerSocketChannel entrance, int target) throws IOException {
        this.network = network;
        this.entrance = entrance;
        this.port = ((InetSocketAddress) entrance.getLocalAddress()).getPort();
        this.target = target;
    }

    public int port() {
        return port;
    }

    /** Nothing arrives on either side. */
    public void cut() {
        set(true, true, 0);
    }

    /** Requests arrive, answers do not. */
    public void holdReplies() {
        set(false, true, 0);
    }

    /** Everything arrives this much later. */
    public void delay(long millis) {
        set(false, false, TimeUnit.MILLISECONDS.toNanos(millis));
    }

    public void mend() {
        set(false, false, 0);
    }

    /** Breaks all connections. New ones can be made. */
    public void reset() {
        network.carryOut(() -> List.copyOf(pipes).forEach(Pipe::breakBoth));
    }

    private void set(boolean requests, boolean replies, long nanos) {
        network.carryOut(() -> {
            requestsHeld = requests;
            repliesHeld = replies;
            delayNanos = nanos;
        });
    }

    // ---- on the network's thread

    boolean isHeld(boolean request) {
        return request ? requestsHeld : repliesHeld;
    }

    long delayNanos() {
        return delayNanos;
    }

    void accept(Selector selector) {
        SocketChannel client = null;
        try {
            client = entrance.accept();
            if (client == null) {
                return;
            }
            SocketChannel server = Network.connect(target);
            Pipe requests = new Pipe(this, true, client, server);
            Pipe replies = new Pipe(this, false, server, client);
            requests.join(replies, register(selector, client, requests));
            replies.join(requests, register(selector, server, replies));
            pipes.add(requests);
            pipes.add(replies);
        } catch (IOException nobodyThere) {
            if (client != null) {
                Network.reset(client);
            }
        }
    }

    /** Otherwise requests wait for acknowledgements of the ones before, and everything takes 40 ms. */
    private static SelectionKey register(Selector selector, SocketChannel channel, Pipe from) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        return channel.register(selector, SelectionKey.OP_READ, from);
    }

    void carry(long now) {
        List.copyOf(pipes).forEach(pipe -> pipe.write(now));
        pipes.removeIf(Pipe::isClosed);
    }

    long nanosUntilDue(long now) {
        return pipes.stream().mapToLong(pipe -> pipe.nanosUntilDue(now)).min().orElse(Long.MAX_VALUE);
    }

    void closeAll() {
        pipes.forEach(Pipe::breakBoth);
        try {
            entrance.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
