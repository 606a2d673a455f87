package dev.holdfast.lab.client;

import dev.holdfast.lab.wire.Resp;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** One server, as the plain lock asks it. No answer in time is no vote. Safe for use by many threads, one after the other. */
final class PlainNode {
    private static final int PATIENCE_MILLIS = 500;
    private static final String DELETE_IF_OURS =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

    private final int port;
    // Guards the connection, also while somebody waits for an answer: requests to one server go one by one.
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Resp connection;

    PlainNode(int port) {
        this.port = port;
    }

    boolean set(String key, String value, long leaseMillis) {
        return "OK".equals(call("SET", key, value, "NX", "PX", Long.toString(leaseMillis)));
    }

    boolean delete(String key, String value) {
        return Long.valueOf(1).equals(call("EVAL", DELETE_IF_OURS, "1", key, value));
    }

    private @Nullable Object call(String... command) {
        lock.lock();
        try {
            if (connection == null) {
                connection = new Resp(port, PATIENCE_MILLIS);
            }
            return connection.call(command);
        } catch (IOException noAnswer) {
            disconnect();
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void disconnect() {
        if (connection != null) {
            connection.close();
            connection = null;
        }
    }

    void close() {
        lock.lock();
        try {
            disconnect();
        } finally {
            lock.unlock();
        }
    }
}
