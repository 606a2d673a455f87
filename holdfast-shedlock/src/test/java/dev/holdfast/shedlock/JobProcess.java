package dev.holdfast.shedlock;

import dev.holdfast.Holdfast;
import dev.holdfast.jdbc.JdbcBackend;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.zookeeper.ZooKeeperBackend;
import java.nio.file.Path;
import java.time.Duration;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/** A node that runs a job in a process of its own. It says what it has done, and then waits to be killed. */
final class JobProcess {
    /** Longer than a busy machine stands still. */
    static final Duration LEASE = Duration.ofSeconds(6);

    /** Servers keep sessions for twenty of these at most. */
    static final int TICK_MILLIS = 400;

    private JobProcess() {}

    /** A job that may take an hour: a lock that ended only then would never be seen to end here. */
    static LockConfiguration job(Duration atLeast) {
        return new LockConfiguration(ClockProvider.now(), "job", Duration.ofHours(1), atLeast);
    }

    static LockBackend connect(String store, String address) {
        return switch (store) {
            case "redis" ->
                RedisBackend.builder(address)
                        .commandTimeout(Duration.ofSeconds(20))
                        .connect();
            case "sqlite" -> JdbcBackend.sqlite(Path.of(address));
            case "zookeeper" ->
                ZooKeeperBackend.builder(address)
                        .tickTime(Duration.ofMillis(TICK_MILLIS))
                        .syncLimit(2)
                        .sessionTimeout(LEASE)
                        .connect();
            default -> throw new IllegalArgumentException(store);
        };
    }

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        Holdfast holdfast = Holdfast.over(connect(arguments[0], arguments[1]));
        HoldfastLockProvider provider = new HoldfastLockProvider(holdfast).withLease(LEASE);
        SimpleLock lock = provider.lock(job(Duration.parse(arguments[2]))).orElseThrow();
        if (arguments[3].equals("done")) {
            lock.unlock();
        }
        System.out.println(arguments[3]);
        Thread.currentThread().join();
    }
}
