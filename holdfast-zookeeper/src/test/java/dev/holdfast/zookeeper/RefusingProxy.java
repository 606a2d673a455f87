package dev.holdfast.zookeeper;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooDefs.OpCode;

/**
 * Carries packets between a client and a server, and can put an error in the place of the answers to one kind of request:
 * as a server does that is too busy, or that does not let a user read what the user may write.
 */
final class RefusingProxy implements Closeable {
    private static final int MOST_BYTES = 4_000_000;

    private final ServerSocket listening;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile int refusedType = Integer.MIN_VALUE;
    private volatile Code refusal = Code.OK;
    private volatile String lost;

    RefusingProxy(int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** @param type one of {@link org.apache.zookeeper.ZooDefs.OpCode} */
    void refuse(int type, Code code) {
        refusal = code;
        refusedType = type;
    }

    void refuseNothing() {
        refusedType = Integer.MIN_VALUE;
    }

    /**
     * Hangs up instead of carrying the answer to the next request that has this text in it. The server has carried it out.
     */
    void loseAnswerTo(String text) {
        lost = text;
    }

    /** Whether an answer was lost since the last call of {@link #loseAnswerTo}. */
    boolean hasLostAnswer() {
        return lost == null;
    }

    private boolean isLost(ByteBuffer packet) {
        String text = lost;
        if (text == null
                || !StandardCharsets.ISO_8859_1
                        .decode(packet.duplicate())
                        .toString()
                        .contains(text)) {
            return false;
        }
        lost = null;
        return true;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(server);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                Set<Integer> refused = ConcurrentHashMap.newKeySet();
                Set<Integer> unanswered = ConcurrentHashMap.newKeySet();
                start(() -> carry(client, server, packet -> {
                    if (packet.getInt(4) == refusedType) {
                        refused.add(packet.getInt(0));
                    }
                    if (packet.getInt(4) == OpCode.multi && isLost(packet)) {
                        unanswered.add(packet.getInt(0));
                    }
                    return packet;
                }));
                start(() -> carry(server, client, packet -> {
                    if (unanswered.remove(packet.getInt(0))) {
                        throw new EOFException("the answer is lost");
                    }
                    return refused.remove(packet.getInt(0)) ? refusal(packet) : packet;
                }));
            }
        } catch (IOException closed) {
            // That is how this ends.
        }
    }

    /** The header of the answer with another code, and nothing behind it. */
    private ByteBuffer refusal(ByteBuffer answer) {
        return ByteBuffer.allocate(16)
                .putInt(answer.getInt(0))
                .putLong(answer.getLong(4))
                .putInt(refusal.intValue());
    }

    private interface Change {
        ByteBuffer of(ByteBuffer packet) throws IOException;
    }

    private static void carry(Socket from, Socket to, Change change) {
        try (from;
                to) {
            DataInputStream in = new DataInputStream(from.getInputStream());
            DataOutputStream out = new DataOutputStream(to.getOutputStream());
            boolean greeting = true;
            while (true) {
                int length = in.readInt();
                if (length < 0 || length > MOST_BYTES) {
                    throw new EOFException("not a packet");
                }
                ByteBuffer packet = ByteBuffer.wrap(in.readNBytes(length));
                byte[] sent = (greeting || length < 8 ? packet : change.of(packet)).array();
                greeting = false;
                out.write(ByteBuffer.allocate(4 + sent.length)
                        .putInt(sent.length)
                        .put(sent)
                        .array());
            }
        } catch (IOException over) {
            // One side has hung up, and now the other one is.
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "refusing-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
