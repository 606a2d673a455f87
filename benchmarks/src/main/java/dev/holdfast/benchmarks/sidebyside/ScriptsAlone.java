package dev.holdfast.benchmarks.sidebyside;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.List;

/**
 * No lock library at all: the two scripts of Holdfast, written beforehand and sent in long pipelines, answers counted and
 * thrown away. What the server can do, and so the most that a client could get out of it.
 */
final class ScriptsAlone implements Peer {
    private static final int PAIRS = 64;

    @Override
    public String name() {
        return "the scripts alone";
    }

    @Override
    public String setUp() {
        return "the requests of Holdfast without a client: prepared bytes, two connections of which one is always full, 256"
                + " requests in flight";
    }

    @Override
    public Pipeline connect(List<String> urls) throws IOException {
        RedisURI uri = RedisURI.create(urls.get(0));
        try (RedisClient client = RedisClient.create(uri);
                StatefulRedisConnection<String, String> connection = client.connect()) {
            ScriptRequests.sources().forEach(source -> connection.sync().scriptLoad(source));
        }
        return new Pipeline(new Lane(uri, "even"), new Lane(uri, "odd"));
    }

    /** One connection, and what it sends again and again. */
    private static final class Lane {
        private final Socket socket;
        private final byte[] requests;
        private final byte[] answers = new byte[1 << 16];

        Lane(RedisURI uri, String name) throws IOException {
            socket = new Socket(uri.getHost(), uri.getPort());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(10_000);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            for (int i = 0; i < PAIRS; i++) {
                all.write(ScriptRequests.lockAndUnlock(name + i, "0123456789abcdef012345"));
            }
            requests = all.toByteArray();
        }

        void send() throws IOException {
            socket.getOutputStream().write(requests);
        }

        /** The answer to a release is the only one that is a number. */
        void receive() throws IOException {
            InputStream in = socket.getInputStream();
            for (int pairs = PAIRS; pairs > 0; ) {
                int length = in.read(answers);
                if (length < 0) {
                    throw new IOException("The server hung up");
                }
                for (int i = 0; i < length; i++) {
                    if (answers[i] == '-') {
                        throw new IOException("The server said no");
                    }
                    pairs -= answers[i] == ':' ? 1 : 0;
                }
            }
        }
    }

    /** Keeps one connection full while the other is served. */
    record Pipeline(Lane even, Lane odd) implements Client {
        Load.Outcome run(double seconds) throws IOException {
            Waits done = new Waits();
            long started = System.nanoTime();
            long until = started + (long) (seconds * 1e9);
            even.send();
            while (System.nanoTime() < until) {
                odd.send();
                even.receive();
                even.send();
                odd.receive();
                for (int i = 0; i < 2 * PAIRS; i++) {
                    done.add(0);
                }
            }
            even.receive();
            return new Load.Outcome(done, done, List.of(done.size()), (System.nanoTime() - started) / 1e9);
        }

        @Override
        public Held lock(String name) {
            throw new UnsupportedOperationException("only scripts");
        }

        @Override
        public void close() {
            try {
                even.socket.close();
                odd.socket.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
