package dev.holdfast.proving.subject;

import dev.holdfast.proving.check.Rule;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** The lock of Redis' own documentation for one instance, also where people use it: SET NX PX with a random value, compared before it is deleted. */
record PlainRedisSubject(Store store) implements Subject {
    private static final String COMPARE_AND_DELETE =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    private static final int LONGEST_PAUSE_MILLIS = 50;
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @Override
    public String id() {
        return store.idOf("plain-redis");
    }

    @Override
    public String title() {
        return store.titleOf("SET NX PX and Lua");
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
                        "Safe with a \"single, always available, instance\"; else \"a viable solution in applications where a race condition"
                                + " from time to time is acceptable\"")
                .not("it has no notice", Rule.SILENT_LOSS, Rule.LATE_NOTICE)
                .not("it has no token", Rule.LOST_WRITE)
                .notAfter(
                        Outages.FAILOVERS,
                        "\"we can't implement our safety property of mutual exclusion, because Redis replication is asynchronous\"",
                        Rule.OVERLAP)
                .notAfter(
                        Outages.FAILOVERS,
                        "how soon a client follows a failover is not a matter of the lock",
                        Rule.STUCK)
                .notAfter(Outages.SERVER_CLOCKS, Outages.CLOCK_EXCUSE, Rule.OVERLAP)
                .notAfter(Outages.FORGETS, "it is for an instance that is always available", Rule.OVERLAP);
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
        return new Client(RedisTopology.plainConnection(store, target, TIMEOUT), target.lease());
    }

    private record Client(RedisTopology.Plain connection, Duration lease) implements LockClient {
        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws InterruptedException {
            long deadline = System.nanoTime() + maxWait.toNanos();
            String value = UUID.randomUUID().toString();
            while (true) {
                long sent = System.nanoTime();
                if (connection.commands().set(name, value, SetArgs.Builder.nx().px(lease.toMillis())) != null) {
                    return Optional.of(new Held(connection.commands(), name, value, sent + lease.toNanos()));
                }
                if (System.nanoTime() - deadline >= 0) {
                    return Optional.empty();
                }
                Thread.sleep(1 + ThreadLocalRandom.current().nextInt(LONGEST_PAUSE_MILLIS));
            }
        }

        @Override
        public void close() {
            connection.closing().run();
        }
    }

    private record Held(RedisClusterCommands<String, String> commands, String name, String value, long until)
            implements HeldLock {
        @Override
        public Belief belief() {
            return Belief.until(until);
        }

        @Override
        public boolean release() {
            Long deleted = commands.eval(COMPARE_AND_DELETE, ScriptOutputType.INTEGER, new String[] {name}, value);
            return deleted != null && deleted == 1;
        }
    }
}
