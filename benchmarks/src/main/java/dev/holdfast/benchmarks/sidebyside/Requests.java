package dev.holdfast.benchmarks.sidebyside;

import dev.holdfast.redis.testing.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Counts what clients send, without what scripts do inside the server. Slows the server down: not while something is timed. */
final class Requests {
    private static final String END = "end-of-counting";

    private final List<RedisServer> servers;
    private final List<CompletableFuture<Long>> counts = new ArrayList<>();

    private Requests(List<RedisServer> servers) {
        this.servers = servers;
    }

    static Requests count(Servers servers) throws IOException {
        Requests requests = new Requests(servers.all());
        for (RedisServer server : servers.all()) {
            Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
            socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
            BufferedReader lines =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            lines.readLine();
            requests.counts.add(CompletableFuture.supplyAsync(() -> read(socket, lines), Requests::inBackground));
        }
        return requests;
    }

    private static void inBackground(Runnable reader) {
        Thread thread = new Thread(reader, "request-counter");
        thread.setDaemon(true);
        thread.start();
    }

    /** A line begins with the time, the database and who sent it: an address, or lua. */
    private static long read(Socket socket, BufferedReader lines) {
        try (socket) {
            long count = 0;
            for (String line = lines.readLine(); line != null && !line.contains(END); line = lines.readLine()) {
                if (!line.contains(" lua] ")) {
                    count++;
                }
            }
            return count;
        } catch (IOException e) {
            throw new IllegalStateException("The server stopped telling what it was asked", e);
        }
    }

    double stop() throws ExecutionException, InterruptedException {
        servers.forEach(server -> server.call("ECHO", END));
        long sum = 0;
        for (CompletableFuture<Long> count : counts) {
            sum += count.get();
        }
        return sum;
    }
}
