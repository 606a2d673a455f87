package dev.holdfast.lab.wire;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a Redis server on this machine, without any client library: what the lab shows must not depend on the code
 * that it shows. After an exception the connection is of no use any more. For one thread at a time.
 */
public final class Resp implements AutoCloseable {
    private final Socket socket = new Socket();
    private final InputStream in;

    /**
     * Connects.
     *
     * @param patienceMillis how long to wait for the connection and for each answer; 0 for ever
     */
    public Resp(int port, int patienceMillis) throws IOException {
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), patienceMillis);
            socket.setSoTimeout(patienceMillis);
            socket.setTcpNoDelay(true);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Sends one command and returns its answer: a long, a string, null, or a list of them. */
    public @Nullable Object call(String... command) throws IOException {
        send(command);
        return read();
    }

    public void send(String... command) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        writeLine(out, "*" + command.length);
        for (String word : command) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            writeLine(out, "$" + bytes.length);
            out.write(bytes);
            writeLine(out, "");
        }
        socket.getOutputStream().write(out.toByteArray());
    }

    private static void writeLine(ByteArrayOutputStream out, String text) throws IOException {
        out.write((text + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    public @Nullable Object read() throws IOException {
        String line = readLine();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest;
            case ':' -> Long.parseLong(rest);
            case '-' -> throw new IOException("The server refused: " + rest);
            case '$' -> readText(Integer.parseInt(rest));
            case '*' -> readList(Integer.parseInt(rest));
            default -> throw new IOException("Not an answer of Redis: " + line);
        };
    }

    private @Nullable String readText(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new IOException("The server closed the connection");
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private @Nullable List<@Nullable Object> readList(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<@Nullable Object> items = new ArrayList<>(length);
        for (int i = 0; i < length; i++) {
            items.add(read());
        }
        return items;
    }

    private String readLine() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new IOException("The server closed the connection");
            }
            if (c != '\r') {
                out.write(c);
            }
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException unusable) {
            // It was to be given up in any case.
        }
    }
}
