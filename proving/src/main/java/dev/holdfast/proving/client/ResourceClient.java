package dev.holdfast.proving.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** A connection to what the lock protects. No fault touches it. For one thread at a time. */
final class ResourceClient implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    ResourceClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** False if a newer token has been there. */
    boolean announce(String name, long token) throws IOException {
        return ask("announce " + name + " " + token).equals("ok");
    }

    long read(String name) throws IOException {
        return number(ask("read " + name)).orElseThrow(() -> new IOException("The resource is closed"));
    }

    /** The new version; empty if the token was refused. */
    OptionalLong write(String name, long based, OptionalLong token, String client, long section) throws IOException {
        String shown = token.isPresent() ? Long.toString(token.getAsLong()) : "-";
        return number(ask("write " + name + " " + based + " " + shown + " " + client + " " + section));
    }

    private static OptionalLong number(String answer) {
        return answer.startsWith("ok ") ? OptionalLong.of(Long.parseLong(answer.substring(3))) : OptionalLong.empty();
    }

    private String ask(String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
        String answer = in.readLine();
        if (answer == null) {
            throw new IOException("The resource hung up");
        }
        return answer;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
