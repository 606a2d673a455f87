package dev.holdfast.tck;

import dev.holdfast.BackendNotice;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Serves a store of this process to other processes over the loopback interface; {@link SocketBackend} talks to it. */
final class ServedStore implements AutoCloseable {
    private final ServerSocket server;
    private final Supplier<LockBackend> clients;
    private final RealTime environment = new RealTime();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    ServedStore(Supplier<LockBackend> clients) {
        this.clients = clients;
        try {
            server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        threads.execute(this::accept);
    }

    String url() {
        return Integer.toString(server.getLocalPort());
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = server.accept();
                threads.execute(() -> serve(socket));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void serve(Socket socket) {
        LockBackend client = clients.get();
        Connection connection = new Connection(client);
        client.open(environment, connection);
        try (socket) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            while (true) {
                answer(client, in.readUTF(), Wire.readClaim(in), in.readLong(), out);
            }
        } catch (IOException gone) {
            // The other process is no more. Its locks and its place in the queue stay, as with any store.
            connection.gone = true;
        }
    }

    private static void answer(LockBackend client, String request, Claim claim, long token, DataOutputStream out)
            throws IOException {
        Holding holding = new Holding(claim.key(), claim.owner(), token, claim.lease());
        switch (request) {
            case "acquire" -> {
                Answer answer = join(client.tryAcquire(claim));
                Grant grant = answer instanceof Answer.Granted granted ? granted.grant() : null;
                Duration retry = answer instanceof Answer.Busy busy ? busy.retryAfter() : Duration.ZERO;
                out.writeLong(grant == null ? 0 : grant.lastToken());
                out.writeLong(grant == null ? retry.toNanos() : grant.slot());
            }
            case "renew" -> {
                Renewal renewal = join(client.renew(List.of(holding))).get(0);
                out.writeLong(renewal instanceof Renewal.Renewed ? 1 : 0);
                out.writeLong(0);
            }
            default -> {
                join(client.withdraw(claim.key(), claim.owner(), 1));
                out.writeLong(0);
                out.writeLong(0);
            }
        }
        out.flush();
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
        environment.close();
    }

    /** Nothing is pushed through the socket; but what is handed to a dead process goes on to the next after a window. */
    private final class Connection implements Events {
        private static final long WINDOW_NANOS = 300_000_000;

        private final LockBackend client;
        private volatile boolean gone;

        Connection(LockBackend client) {
            this.client = client;
        }

        @Override
        public void granted(String name, Owner owner, Grant grant) {
            environment.schedule(WINDOW_NANOS, () -> {
                if (gone) {
                    client.withdraw(name, owner, 1);
                } else {
                    // It lives; or it is dead, and the thread that will notice has not had its turn.
                    granted(name, owner, grant);
                }
            });
        }

        @Override
        public void maybeFree(String name) {}

        @Override
        public void lost(String name, Owner owner, String why) {}

        @Override
        public void recheckAll(String why) {}

        @Override
        public void notice(BackendNotice notice) {}
    }
}
