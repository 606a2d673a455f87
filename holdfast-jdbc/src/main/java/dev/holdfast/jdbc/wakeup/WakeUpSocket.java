package dev.holdfast.jdbc.wakeup;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One datagram socket on the loopback interface, for processes of one machine that share a file. A process that waits writes
 * its port and a random key into the queue; whoever hands the lock to it sends the key and the name there.
 *
 * <p>A datagram can be lost, or forged by whoever can read the queue. It makes a waiter ask once, and nothing else.
 */
public final class WakeUpSocket {
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    /** A key in hexadecimal; the name follows it. */
    private static final int KEY_LENGTH = 16;
    /** More than any name needs. */
    private static final int MOST_BYTES = 8192;

    private final ReentrantLock lock = new ReentrantLock();
    // Written under the lock, once; null before it is needed, and where it cannot be had.
    private volatile @Nullable DatagramSocket socket;
    // Written under the lock, once; empty until listen().
    private volatile String key = "";
    // Guarded by the lock.
    private boolean unusable;

    /** From now on there is an address, unless this machine has no loopback interface for us. Does not block. */
    public boolean listen(long randomKey) {
        if (open() == null) {
            return false;
        }
        lock.lock();
        try {
            if (key.isEmpty()) {
                key = String.format("%016x", randomKey);
            }
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** The port and the key; empty before {@link #listen}. */
    public String address() {
        DatagramSocket open = socket;
        return open == null || key.isEmpty() ? "" : open.getLocalPort() + " " + key;
    }

    /** Does not block. An address that is empty, or not one of ours, is ignored. */
    public void tell(String address, String name) {
        String[] parts = address.split(" ", -1);
        DatagramSocket open = parts.length == 2 && parts[1].length() == KEY_LENGTH ? open() : null;
        if (open == null) {
            return;
        }
        byte[] bytes = (parts[1] + name).getBytes(StandardCharsets.UTF_8);
        try {
            int port = Integer.parseInt(parts[0]);
            open.send(new DatagramPacket(bytes, bytes.length, new InetSocketAddress(loopback(), port)));
        } catch (IOException | IllegalArgumentException e) {
            // The waiter polls.
        }
    }

    /**
     * The name in the next datagram; null if that was not meant for us. Blocks until there is one.
     *
     * @throws java.net.SocketTimeoutException after that time
     * @throws IOException after {@link #close}
     */
    @Nullable
    public String receive(int mostMillis) throws IOException {
        DatagramSocket open = socket;
        if (open == null) {
            throw new SocketException("not listening");
        }
        open.setSoTimeout(mostMillis);
        DatagramPacket packet = new DatagramPacket(new byte[MOST_BYTES], MOST_BYTES);
        open.receive(packet);
        String text = new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8);
        return text.startsWith(key) && !key.isEmpty() ? text.substring(KEY_LENGTH) : null;
    }

    private @Nullable DatagramSocket open() {
        DatagramSocket open = socket;
        if (open != null) {
            return open;
        }
        lock.lock();
        try {
            if (socket == null && !unusable) {
                socket = new DatagramSocket(new InetSocketAddress(loopback(), 0));
            }
        } catch (IOException | RuntimeException e) {
            // No such interface, or not allowed: waiters poll.
            unusable = true;
        } finally {
            lock.unlock();
        }
        return socket;
    }

    private static InetAddress loopback() throws UnknownHostException {
        return InetAddress.getByAddress(LOOPBACK);
    }

    public void close() {
        lock.lock();
        try {
            unusable = true;
            if (socket != null) {
                socket.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
