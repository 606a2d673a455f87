package dev.holdfast.proving.subject;

import dev.holdfast.proving.check.Rule;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** The lock of Redis' own documentation for one instance: SET NX PX with a random value, compared before it is deleted. */
final class PlainRedisSubject implements Subject {
    private static final String COMPARE_AND_DELETE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    private static final int LONGEST_PAUSE_MILLIS = 50;

    @Override
    public String id() {
        return "plain-redis";
    }

    @Override
    public String title() {
        return "SET NX PX and Lua";
    }

    @Override
    public Store store() {
        return Store.REDIS;
    }

    @Override
    public String version() {
        return Versions.of(RedisClient.class);
    }

    @Override
    public String setUp() {
        return "SET NX PX and the script of Redis' documentation, over one Lettuce connection with a timeout of 2 s; asks again after up to "
                + LONGEST_PAUSE_MILLIS + " ms; trusted for the time to live, counted from before the request";
    }

    @Override
    public Promise promise() {
        return Promise.of(
                        "\"A simple but valid locking approach in applications where a race condition from time to time is acceptable\"")
                .not("it has no notice", Rule.SILENT_LOSS, Rule.LATE_NOTICE)
                .not("it has no token", Rule.LOST_WRITE)
                .not("races from time to time are announced", Rule.OVERLAP);
    }

    @Override
    public boolean renews() {
        return false;
    }

    @Override
    public boolean hasTokens() {
        return false;
    }

    @Override
    public LockClient connect(Target target) {
        RedisURI uri = RedisURI.create(target.url("redis"));
        uri.setTimeout(Duration.ofSeconds(2));
        RedisClient client = RedisClient.create(uri);
        return new Client(client, client.connect(), target.lease());
    }

    private record Client(RedisClient client, StatefulRedisConnection<String, String> connection, Duration lease)
            implements LockClient {
        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws InterruptedException {
            long deadline = System.nanoTime() + maxWait.toNanos();
            String value = UUID.randomUUID().toString();
            while (true) {
                long sent = System.nanoTime();
                if (connection.sync().set(name, value, SetArgs.Builder.nx().px(lease.toMillis())) != null) {
                    return Optional.of(new Held(connection, name, value, sent + lease.toNanos()));
                }
                if (System.nanoTime() - deadline >= 0) {
                    return Optional.empty();
                }
                Thread.sleep(1 + ThreadLocalRandom.current().nextInt(LONGEST_PAUSE_MILLIS));
            }
        }

        @Override
        public void close() {
            client.shutdown();
        }
    }

    private record Held(StatefulRedisConnection<String, String> connection, String name, String value, long until)
            implements HeldLock {
        @Override
        public Belief belief() {
            return Belief.until(until);
        }

        @Override
        public boolean release() {
            Long deleted =
                    connection.sync().eval(COMPARE_AND_DELETE, ScriptOutputType.INTEGER, new String[] {name}, value);
            return deleted != null && deleted == 1;
        }
    }
}
