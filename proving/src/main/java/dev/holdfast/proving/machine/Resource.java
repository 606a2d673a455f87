package dev.holdfast.proving.machine;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import dev.holdfast.proving.log.LogWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the locks protect: a number for each lock name, which clients read and then write, in this process, which no fault touches. It
 * remembers the newest token that was announced for a name and refuses older ones. Where a library gives no token, it takes every write.
 */
public final class Resource implements AutoCloseable {
    private final ServerSocket entrance;
    private final Map<String, Item> items = new ConcurrentHashMap<>();

    public Resource() throws IOException {
        entrance = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    public int port() {
        return entrance.getLocalPort();
    }

    /** Begins a new item for this lock name. What is carried out is written to this log. */
    public void open(String name, LogWriter log) {
        items.put(name, new Item(log));
    }

    /** The rest is refused. */
    public void forget(String name) {
        items.remove(name);
    }

    private static final class Item {
        private final LogWriter log;
        private long version;
        private long newestToken;

        Item(LogWriter log) {
            this.log = log;
        }

        /** In memory and without I/O but for the log, so a monitor does. */
        synchronized String carryOut(String[] words) {
            return switch (words[0]) {
                case "read" -> "ok " + version;
                case "announce" -> admit(Long.parseLong(words[2])) ? "ok" : "stale";
                case "write" -> write(words);
                default -> "what?";
            };
        }

        private boolean admit(long token) {
            newestToken = Math.max(newestToken, token);
            return token == newestToken;
        }

        /** write NAME BASED TOKEN|- CLIENT SECTION. */
        private String write(String[] words) {
            if (!words[3].equals("-") && !admit(Long.parseLong(words[3]))) {
                return "stale";
            }
            version++;
            log.write(Event.of(
                    System.nanoTime(),
                    Kind.APPLIED,
                    words[4],
                    Long.parseLong(words[5]),
                    "based",
                    words[2],
                    "version",
                    version));
            return "ok " + version;
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket socket = entrance.accept();
            start(() -> serve(socket));
        }
    }

    private void serve(Socket socket) throws IOException {
        try (socket) {
            socket.setTcpNoDelay(true);
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            OutputStream out = socket.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", -1);
                @Nullable Item item = items.get(words[1]);
                String answer = item == null ? "closed" : item.carryOut(words);
                out.write((answer + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void start(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException ended) {
                        // The client is gone, or we are done.
                    }
                },
                "proving-resource");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        entrance.close();
    }
}
