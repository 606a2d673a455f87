package dev.holdfast.redis.lettuce;

import dev.holdfast.spi.Environment;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one connection alive. Lettuce's own reconnection is off, because it sends again what was under way, and before
 * we could ask which server answers.
 *
 * <p>At most one attempt is under way. A connection that takes the place of one that still stands is complete before that
 * one closes.
 */
final class LettuceLink<C extends StatefulConnection<String, String>> {
    private static final long FIRST_BACKOFF_NANOS = 20_000_000;
    private static final int MOST_DOUBLINGS = 6;

    /** Called with no lock held. */
    interface Watcher<C> {
        void opened(C connection);

        void failed(Throwable why);
    }

    private final Supplier<CompletionStage<C>> opening;
    private final BooleanSupplier outdated;
    // Guards the fields below; connections are opened and closed, and the watcher called, after it is free.
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable C current;
    private volatile @Nullable Throwable failure;
    private boolean attempting;
    /** How many attempts have begun. */
    private int attempts;
    /** When the last attempt began. */
    private long attemptedNanos;

    private boolean closed;
    /** Connections that are being opened, or closed. */
    private int unfinished;

    private int failures;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private @Nullable Environment environment;
    private @Nullable Watcher<C> watcher;

    /** @param opening connects, and does all that must be done before the connection is used */
    LettuceLink(Supplier<CompletionStage<C>> opening) {
        this(opening, () -> false);
    }

    /** @param outdated whether it has become known, since the last attempt began, that connections lead elsewhere now */
    LettuceLink(Supplier<CompletionStage<C>> opening, BooleanSupplier outdated) {
        this.opening = opening;
        this.outdated = outdated;
    }

    @Nullable
    C current() {
        return current;
    }

    /** Why there is no connection, if an attempt has failed since the last one. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** The first connection, for a caller who waits for it. Too late once others are being opened. */
    CompletableFuture<Void> first() {
        begin();
        return open().thenAccept(this::adopt).toCompletableFuture().whenComplete((done, failure) -> finish());
    }

    private CompletionStage<C> open() {
        try {
            return opening.get();
        } catch (Throwable e) {
            // An error, too (no memory, no thread): otherwise this would count as an attempt that goes on for ever.
            return CompletableFuture.failedStage(e);
        }
    }

    private void adopt(C connection) {
        boolean late;
        lock.lock();
        try {
            late = closed || environment != null;
            if (late) {
                unfinished++;
            } else {
                current = connection;
            }
        } finally {
            lock.unlock();
        }
        if (late) {
            leave(connection);
        }
    }

    /** From here on the connection is kept alive. */
    void start(Environment environment, Watcher<C> watcher) {
        C adopted;
        lock.lock();
        try {
            this.environment = environment;
            this.watcher = watcher;
            adopted = current;
        } finally {
            lock.unlock();
        }
        if (adopted == null) {
            attempt();
        } else {
            follow(adopted);
        }
    }

    /** Opens another connection, which takes the place of this one. */
    void replace() {
        attempt();
    }

    /** It may have become known that connections lead elsewhere: leaves one that does not, and pauses no longer between attempts. */
    void review() {
        C standing = current;
        if (standing != null && outdated.getAsBoolean()) {
            lost(standing);
        } else {
            attemptIf(() -> current == null);
        }
    }

    private void attempt() {
        attemptIf(() -> true);
    }

    /** @param wanted whether there is a reason for it still; asked under the lock */
    private void attemptIf(BooleanSupplier wanted) {
        lock.lock();
        try {
            if (attempting || closed || !wanted.getAsBoolean()) {
                return;
            }
            attempting = true;
            attempts++;
            attemptedNanos = environment == null ? 0 : environment.nanoTime();
            unfinished++;
        } finally {
            lock.unlock();
        }
        open().whenComplete((connection, problem) -> {
            try {
                if (problem == null) {
                    opened(connection);
                } else {
                    failed(problem);
                }
            } finally {
                finish();
            }
        });
    }

    private void opened(C connection) {
        C old;
        Watcher<C> tell;
        lock.lock();
        try {
            attempting = false;
            old = closed ? connection : current;
            unfinished += old == null ? 0 : 1;
            tell = closed ? null : watcher;
            if (!closed) {
                current = connection;
                failure = null;
                failures = 0;
            }
        } finally {
            lock.unlock();
        }
        if (old != null) {
            leave(old);
        }
        if (tell == null) {
            return;
        }
        follow(connection);
        // After it can be found: whoever learns of another place from here on leaves it.
        if (outdated.getAsBoolean()) {
            lost(connection);
        } else {
            tell.opened(connection);
        }
    }

    private void failed(Throwable problem) {
        Throwable why =
                problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        @Nullable Environment time;
        Watcher<C> tell;
        long backoff;
        long began;
        int before;
        lock.lock();
        try {
            attempting = false;
            time = closed ? null : environment;
            tell = watcher;
            failure = why;
            backoff = FIRST_BACKOFF_NANOS << Math.min(failures++, MOST_DOUBLINGS);
            began = attemptedNanos;
            before = attempts;
        } finally {
            lock.unlock();
        }
        if (time == null) {
            return;
        }
        if (tell != null) {
            tell.failed(why);
        }
        // Clients that lost the same server must not come back in step.
        long pause = backoff / 2 + (long) (time.random().nextDouble() * backoff);
        // From when the attempt began: one that waited for a server that hangs has been a pause already. The next one
        // waits
        // there when the server goes on, and is answered at once.
        long rest = Math.max(FIRST_BACKOFF_NANOS, pause - (time.nanoTime() - began));
        time.schedule(rest, () -> attemptIf(() -> attempts == before));
    }

    private void follow(C connection) {
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                lost(connection);
            }
        });
        if (!connection.isOpen()) {
            lost(connection);
        }
    }

    /** This connection is of no use any more. */
    void lost(C connection) {
        lock.lock();
        try {
            if (current != connection) {
                return;
            }
            current = null;
            unfinished++;
        } finally {
            lock.unlock();
        }
        // Whatever is still under way on it fails now.
        leave(connection);
        attempt();
    }

    /**
     * Complete once nothing is being opened: what is cut short would leave a connection behind. And once every connection
     * is closed: Lettuce would close it a second time, and warn of that.
     */
    CompletableFuture<Void> close() {
        C last;
        lock.lock();
        try {
            closed = true;
            last = current;
            current = null;
            unfinished++;
        } finally {
            lock.unlock();
        }
        if (last == null) {
            finish();
        } else {
            leave(last);
        }
        return ended;
    }

    /**
     * Closes it, once. Nobody waits for that: what is under way fails at once, the goodbye takes as long as it takes. It
     * counts as unfinished already, from the moment at which nobody else could find it any more.
     */
    private void leave(C connection) {
        var unused = connection.closeAsync().whenComplete((done, failure) -> finish());
    }

    private void begin() {
        lock.lock();
        try {
            unfinished++;
        } finally {
            lock.unlock();
        }
    }

    private void finish() {
        boolean over;
        lock.lock();
        try {
            unfinished--;
            over = closed && unfinished == 0;
        } finally {
            lock.unlock();
        }
        if (over) {
            ended.complete(null);
        }
    }
}
