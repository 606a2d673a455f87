package dev.holdfast.proving.subject;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Wrong on purpose, so that it is seen whether the proving ground notices: it looks whether the lock is free and then takes it, in two
 * steps; it keeps it without an end; it gives it back whoever has it; it counts its tokens in each process; it calls an outage busy.
 */
final class BrokenSubject implements Subject {
    private static final int PAUSE_MILLIS = 20;

    @Override
    public String id() {
        return "broken";
    }

    @Override
    public String title() {
        return "Broken on purpose";
    }

    @Override
    public Store store() {
        return Store.REDIS;
    }

    @Override
    public String version() {
        return "ours";
    }

    @Override
    public String setUp() {
        return "GET, and SET if there was nothing; DEL";
    }

    @Override
    public Promise promise() {
        return Promise.of("Promises everything");
    }

    @Override
    public boolean renews() {
        return true;
    }

    @Override
    public boolean hasTokens() {
        return true;
    }

    @Override
    public LockClient connect(Target target) {
        RedisClient client = RedisClient.create(target.url("redis"));
        return new Client(client, client.connect());
    }

    private static final class Client implements LockClient {
        private final RedisClient client;
        private final StatefulRedisConnection<String, String> connection;
        private long token;

        Client(RedisClient client, StatefulRedisConnection<String, String> connection) {
            this.client = client;
            this.connection = connection;
            connection.setTimeout(Duration.ofMillis(500));
        }

        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws InterruptedException {
            long deadline = System.nanoTime() + maxWait.toNanos();
            while (true) {
                if (take(name)) {
                    return Optional.of(new Held(connection, name, OptionalLong.of(++token)));
                }
                if (System.nanoTime() - deadline >= 0) {
                    return Optional.empty();
                }
                Thread.sleep(PAUSE_MILLIS);
            }
        }

        private boolean take(String name) throws InterruptedException {
            try {
                if (connection.sync().get(name) != null) {
                    return false;
                }
                Thread.sleep(PAUSE_MILLIS);
                connection.sync().set(name, "taken");
                return true;
            } catch (RuntimeException outage) {
                return false;
            }
        }

        @Override
        public void close() {
            client.shutdown();
        }
    }

    private record Held(StatefulRedisConnection<String, String> connection, String name, OptionalLong token)
            implements HeldLock {
        @Override
        public boolean release() {
            connection.sync().del(name);
            return true;
        }
    }
}
