package dev.holdfast.redis.testing;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.RedlockBackend;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Clients that give servers as long as a busy machine may take. A test of something else than timeouts is not to fail because a
 * server, or the test itself, stood still for some seconds.
 */
public final class Patient {
    /** For one request, and for each step of connecting. */
    public static final Duration TIMEOUT = Duration.ofSeconds(30);
    /** The most that a node of a quorum may be given. */
    public static final Duration NODE_TIMEOUT = Duration.ofSeconds(10);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Patient() {}

    public static RedisBackend.Builder builder(String url) {
        return RedisBackend.builder(url).commandTimeout(TIMEOUT);
    }

    public static RedisBackend backend(String url) {
        return builder(url).connect();
    }

    public static Holdfast client(String url) {
        return Holdfast.over(backend(url));
    }

    public static RedlockBackend.Builder quorum(String url) {
        return RedlockBackend.builder(url).nodeTimeout(NODE_TIMEOUT);
    }

    /** For timeouts that have to be short: they also limit the steps of connecting, which is tried again. */
    public static <T> T connect(Supplier<T> connecting) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return connecting.get();
            } catch (LockUnavailableException slow) {
                if (System.nanoTime() - deadline > 0) {
                    throw slow;
                }
            }
        }
    }

    /** What the store says once it can be asked. Until then, as while a client connects to another server, nothing is known. */
    public static Optional<Lease> tryAcquire(Holdfast holdfast, String name) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return holdfast.lock(name).tryAcquire();
            } catch (LockUnavailableException notYet) {
                if (System.nanoTime() - deadline > 0) {
                    throw notYet;
                }
                Thread.sleep(20);
            }
        }
    }
}
