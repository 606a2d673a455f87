package dev.holdfast.benchmarks.sidebyside;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** What people write by hand: no token, no queue, no renewal. The least that a lock in Redis can cost. */
final class FloorPeer implements Peer {
    static final String COMPARE_AND_DELETE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    private static final SetArgs ONLY_IF_ABSENT = SetArgs.Builder.nx().px(30_000);
    private static final long LONGEST_PAUSE_NANOS = 10_000_000;

    @Override
    public String name() {
        return "floor";
    }

    @Override
    public String setUp() {
        return "SET NX PX 30000 and a compare-and-delete script over one Lettuce connection; when busy, asks again after up to"
                + " 10 ms";
    }

    @Override
    public Client connect(List<String> urls) {
        return new FloorClient(RedisClient.create(urls.get(0)));
    }

    private record FloorHeld(
            StatefulRedisConnection<String, String> connection, String digest, String name, String value)
            implements Held {
        @Override
        public void unlock() {
            connection.sync().evalsha(digest, ScriptOutputType.INTEGER, new String[] {name}, value);
        }

        @Override
        public CompletableFuture<?> unlockAsync() {
            return connection
                    .async()
                    .evalsha(digest, ScriptOutputType.INTEGER, new String[] {name}, value)
                    .toCompletableFuture();
        }
    }

    private static final class FloorClient implements Client {
        private final RedisClient client;
        private final StatefulRedisConnection<String, String> connection;
        private final String digest;

        FloorClient(RedisClient client) {
            this.client = client;
            this.connection = client.connect();
            this.digest = connection.sync().scriptLoad(COMPARE_AND_DELETE);
        }

        @Override
        public Held lock(String name) {
            String value = UUID.randomUUID().toString();
            while (connection.sync().set(name, value, ONLY_IF_ABSENT) == null) {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(LONGEST_PAUSE_NANOS));
            }
            return new FloorHeld(connection, digest, name, value);
        }

        @Override
        public CompletableFuture<Held> lockAsync(String name) {
            String value = UUID.randomUUID().toString();
            return connection
                    .async()
                    .set(name, value, ONLY_IF_ABSENT)
                    .toCompletableFuture()
                    .thenApply(ok -> {
                        if (ok == null) {
                            throw new IllegalStateException("'" + name + "' is busy, and the floor has no queue");
                        }
                        return new FloorHeld(connection, digest, name, value);
                    });
        }

        @Override
        public void close() {
            client.shutdown();
        }
    }
}
