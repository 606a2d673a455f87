package dev.holdfast.zookeeper;

import dev.holdfast.BackendNotice;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.NotSentException;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;

/**
 * Sees to it that one process uses a session. A process that is restored twice from one snapshot has the id and the password
 * of its session twice. The servers let both use it, in turns, and both would renew what was held at the time of the copy.
 *
 * <p>So each session has a node of its own. Whoever connects writes to it, if it is as this process left it; whoever finds
 * that somebody else has written there is the copy that came later, and leaves the session. Renewals require that the node
 * has not been written to since. What this process wrote is recognised by its zxid, which the servers give out; only where
 * an answer was lost by the text, which has the clocks and random numbers of this process in it.
 *
 * <p>The node is created with the first claim of a session: who only looks around leaves nothing behind.
 */
final class SessionGuard {
    /** Makes the guard of each session. */
    static final class Factory {
        private final ClaimCreator creator;
        private final Paths paths;
        private final Environment environment;
        private final Events events;
        private final SessionTracker tracker;
        /** Tells apart what shares a session on purpose. A copy of this process has the same one, and finds the same node. */
        private final String instance;

        Factory(ClaimCreator creator, Paths paths, Environment environment, Events events, SessionTracker tracker) {
            this.creator = creator;
            this.paths = paths;
            this.environment = environment;
            this.events = events;
            this.tracker = tracker;
            this.instance = Long.toHexString(environment.random().nextLong());
        }

        SessionGuard of(Session session) {
            return new SessionGuard(session, creator, paths, instance, this::text, () -> {
                events.notice(BackendNotice.warning(
                        "ZooKeeper", "another copy of this process uses the session; it keeps what is held"));
                tracker.leave(session);
            });
        }

        private String text() {
            return environment.nanoTime() + " " + environment.wallMicros() + " "
                    + environment.random().nextLong();
        }
    }

    private static final int UNGUARDED = -1;
    private static final int MOST_TRIES = 5;

    private final Session session;
    private final ClaimCreator creator;
    private final String base;
    private final String path;
    private final Runnable onCopy;
    private final Supplier<String> text;
    private final AtomicBoolean begun = new AtomicBoolean();
    // Guards what follows but the version. Nothing is sent while it is held.
    private final ReentrantLock lock = new ReentrantLock();
    /** What we have written without knowing whether it arrived, by the number of the attempt. */
    private final TreeMap<Integer, String> unconfirmed = new TreeMap<>();

    private int attempts;
    private long confirmedZxid;
    private volatile CompletableFuture<Integer> version = CompletableFuture.completedFuture(UNGUARDED);

    /**
     * Sends nothing yet.
     *
     * @param text something else every time
     * @param onCopy somebody else uses this session
     */
    private SessionGuard(
            Session session,
            ClaimCreator creator,
            Paths paths,
            String instance,
            Supplier<String> text,
            Runnable onCopy) {
        this.session = session;
        this.creator = creator;
        this.base = paths.base();
        this.path = paths.sessions() + "/" + Long.toHexString(session.id) + "-" + instance;
        this.text = text;
        this.onCopy = onCopy;
    }

    /** There is a claim in this session now. */
    void begin() {
        if (begun.compareAndSet(false, true)) {
            takeOver();
        }
    }

    /** There is a new connection. */
    void connected() {
        if (begun.get()) {
            takeOver();
        }
    }

    /** Two requests. Renewals wait for them. */
    private void takeOver() {
        CompletableFuture<Integer> taken = new CompletableFuture<>();
        version = taken;
        var unused = look(taken, MOST_TRIES).whenComplete((found, failure) -> {
            if (failure == null) {
                taken.complete(found);
            } else if (Errors.isSilence(failure) || Errors.unwrap(failure) instanceof NotSentException) {
                taken.completeExceptionally(Errors.harmless(failure));
            } else {
                // We may not have such a node here. Then nothing tells copies apart, as with a framework of the
                // program.
                taken.complete(UNGUARDED);
            }
        });
    }

    private CompletableFuture<Integer> look(CompletableFuture<Integer> taken, int triesLeft) {
        return session.read(path, null).thenCompose(found -> {
            if (version != taken || triesLeft == 0) {
                return CompletableFuture.failedFuture(new NotSentException("another connection came meanwhile", null));
            }
            if (found.isEmpty()) {
                return create(taken, triesLeft - 1);
            }
            if (isOurs(found.get())) {
                return write(taken, found.get().stat().getVersion(), triesLeft - 1);
            }
            onCopy.run();
            return CompletableFuture.failedFuture(
                    new NotSentException("another copy of this process uses the ZooKeeper session", null));
        });
    }

    private boolean isOurs(Session.Found found) {
        lock.lock();
        try {
            return found.stat().getMzxid() == confirmedZxid || unconfirmed.containsValue(found.text());
        } finally {
            lock.unlock();
        }
    }

    private CompletableFuture<Integer> create(CompletableFuture<Integer> taken, int triesLeft) {
        return Futures.recover(
                creator.createForSession(session, path, next().text()).thenApply(created -> 0),
                failure -> Errors.is(failure, Code.NODEEXISTS)
                        ? look(taken, triesLeft)
                        : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<Integer> write(CompletableFuture<Integer> taken, int expected, int triesLeft) {
        Attempt attempt = next();
        return Futures.recover(
                session.write(path, attempt.text(), expected).thenApply(stat -> {
                    confirm(attempt, stat.getMzxid());
                    return stat.getVersion();
                }),
                failure -> Errors.is(failure, Code.BADVERSION) || Nodes.isMissing(failure)
                        ? look(taken, triesLeft)
                        : CompletableFuture.failedFuture(failure));
    }

    private record Attempt(int number, String text) {}

    private Attempt next() {
        String unique = text.get();
        lock.lock();
        try {
            attempts++;
            Attempt attempt = new Attempt(attempts, attempts + " " + unique);
            unconfirmed.put(attempt.number(), attempt.text());
            return attempt;
        } finally {
            lock.unlock();
        }
    }

    private void confirm(Attempt attempt, long zxid) {
        lock.lock();
        try {
            confirmedZxid = zxid;
            unconfirmed.headMap(attempt.number(), true).clear();
        } finally {
            lock.unlock();
        }
    }

    /**
     * What is read so is no older than the question, like {@link Session#upToDate}, and no copy of this process has taken the
     * session over.
     */
    static <T> CompletableFuture<T> upToDate(Session session, String base, Supplier<CompletableFuture<T>> reading) {
        SessionGuard guard = session.guard;
        return guard == null ? session.upToDate(base, reading) : guard.upToDate(reading);
    }

    private <T> CompletableFuture<T> upToDate(Supplier<CompletableFuture<T>> reading) {
        if (version.isCompletedExceptionally()) {
            takeOver();
        }
        return version.thenCompose(known -> {
            if (known == UNGUARDED) {
                return session.upToDate(base, reading);
            }
            var write = session.multi(List.of(Op.check(path, known)));
            CompletableFuture<T> read = Futures.safely(reading);
            return Futures.recover(write.thenCompose(done -> read), failure -> {
                if (Errors.is(failure, Code.BADVERSION) || Nodes.isMissing(failure)) {
                    takeOver();
                }
                return CompletableFuture.failedFuture(failure);
            });
        });
    }
}
