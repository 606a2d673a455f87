package dev.holdfast.zookeeper;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.CuratorEventType;
import org.apache.curator.framework.api.CuratorListener;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/** Follows the connection that Curator keeps: which session we have, and whether there is a server at its other end. */
final class SessionTracker {
    /** Told on the thread of the session, with no lock held. */
    interface Listener {
        /** There is a session with a server behind it. */
        void connected(Session session, boolean again);

        /** The servers may still know the session, but we cannot ask. */
        void disconnected(Session session);

        /** The session is over: the servers said so, or another one took its place. */
        void ended(Session session);
    }

    private final CuratorFramework curator;
    private final Timing timing;
    private final Environment environment;
    private final Listener listener;
    private final Duration patience;
    private final CuratorListener watching = (client, event) -> onEvent(event);
    // Guards what follows. Nobody is called while it is held.
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Session session;
    private boolean connected;
    private boolean closed;
    /** Its session belongs to another process. Until it has hung up, it may connect again. */
    private @Nullable ZooKeeper left;

    /** Whatever connection comes next was asked for after this; null if we do not know. */
    private @Nullable Long connectsAfterNanos;

    private CompletableFuture<Session> connecting = new CompletableFuture<>();
    /** Of the newest session; zero before there is one. Written on the thread of the session. */
    private volatile long mark;

    SessionTracker(
            CuratorFramework curator, Timing timing, Duration patience, Environment environment, Listener listener) {
        this.curator = curator;
        this.timing = timing;
        this.patience = patience;
        this.environment = environment;
        this.listener = listener;
    }

    /** @param handles null for a framework of the program */
    void open(@Nullable HandleFactory handles) {
        if (curator.getState() == CuratorFrameworkState.LATENT) {
            connectsAfterNanos = environment.nanoTime();
        }
        curator.getCuratorListenable().addListener(watching);
        if (handles != null) {
            handles.onExpired(this::expired);
            curator.start();
        } else {
            // It may have been connected for long: then no event will say so. On a thread that may block.
            environment.blocking().execute(() -> {
                if (curator.getZookeeperClient().isConnected()) {
                    established();
                }
            });
        }
    }

    private void onEvent(CuratorEvent event) {
        if (event.getType() != CuratorEventType.WATCHED
                || event.getWatchedEvent().getType() != EventType.None) {
            return;
        }
        KeeperState state = event.getWatchedEvent().getState();
        if (state == KeeperState.SyncConnected) {
            established();
        } else if (state == KeeperState.Disconnected) {
            interrupted(false);
        } else if (state == KeeperState.Expired) {
            interrupted(true);
        }
    }

    private void established() {
        ZooKeeper handle;
        try {
            handle = curator.getZookeeperClient().getZooKeeper();
        } catch (Exception gone) {
            // Curator has given this handle up already; the next one announces itself.
            return;
        }
        if (handle.getSessionId() == 0 || handle.getSessionTimeout() <= 0) {
            return;
        }
        Session before;
        Session now;
        Long afterNanos;
        CompletableFuture<Session> waiting;
        lock.lock();
        try {
            before = session;
            boolean same = before != null && before.handle == handle && before.id == handle.getSessionId();
            if (closed
                    || (same && connected)
                    || handle == left
                    || !handle.getState().isAlive()) {
                return;
            }
            now = same && before != null ? before : new Session(handle, timing, environment);
            session = now;
            connected = true;
            afterNanos = connectsAfterNanos;
            waiting = connecting;
        } finally {
            lock.unlock();
        }
        mark = spread(now.id);
        note(now, afterNanos);
        if (before != null && now != before) {
            before.end();
            listener.ended(before);
        }
        listener.connected(now, before != null);
        waiting.complete(now);
    }

    /** What the servers gave the newest session to tell it from all others; zero before there is one. */
    long mark() {
        return mark;
    }

    /**
     * Sessions are numbered from a time, so most bits of two of them are equal. Each step is one-to-one (the finaliser of
     * SplitMix64), so two sessions never have the same mark.
     */
    static long spread(long id) {
        long mixed = (id ^ id >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    private static void note(Session session, @Nullable Long afterNanos) {
        if (session.handle instanceof HandleFactory.Handle ours) {
            session.proof.connected(ours.connectedAfterNanos());
        } else if (afterNanos != null) {
            session.proof.connected(afterNanos);
        }
    }

    private void expired(ZooKeeper handle) {
        Session current;
        lock.lock();
        try {
            current = session;
        } finally {
            lock.unlock();
        }
        // Nobody but the thread of this handle, on which we are, brings news of its session.
        if (current != null && current.handle == handle) {
            interrupted(true);
        }
    }

    private void interrupted(boolean expired) {
        Session lost;
        lock.lock();
        try {
            lost = session;
            if (lost == null) {
                return;
            }
            // Curator makes the next handle before it tells of the end of the last one: that may be connected by now.
            if (expired && lost.handle.getState().isAlive()) {
                return;
            }
            if (connected) {
                connected = false;
                connecting = new CompletableFuture<>();
            }
            // Events and answers come in order, so the next connection is younger than the newest answer of this one.
            Long newest = lost.proof.newestNanos();
            if (newest != null) {
                connectsAfterNanos = newest;
            }
            if (expired) {
                session = null;
            }
        } finally {
            lock.unlock();
        }
        if (expired) {
            lost.end();
            listener.ended(lost);
        } else {
            listener.disconnected(lost);
        }
    }

    /** Another process uses this session: leaves it to that one, with what belongs to it, and begins a new one. */
    void leave(Session shared) {
        lock.lock();
        try {
            if (session != shared || closed || !(shared.handle instanceof HandleFactory.Handle)) {
                return;
            }
            if (connected) {
                connected = false;
                connecting = new CompletableFuture<>();
            }
            session = null;
            left = shared.handle;
        } finally {
            lock.unlock();
        }
        shared.end();
        listener.ended(shared);
        // Hangs up, which blocks for a moment. A session that is closed would end for the other one as well. To Curator
        // the
        // handle looks like one whose session has expired: it makes another.
        environment.blocking().execute(((HandleFactory.Handle) shared.handle)::abandon);
    }

    /** The session, if there is a server behind it. */
    @Nullable
    Session connected() {
        lock.lock();
        try {
            return connected ? session : null;
        } finally {
            lock.unlock();
        }
    }

    /** The session, as soon as there is one that can be used; waits for a connection for a while. */
    CompletableFuture<Session> session() {
        return anySession().thenCompose(this::usable);
    }

    /** Also one that is too short to be used. */
    CompletableFuture<Session> anySession() {
        CompletableFuture<Session> waiting;
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(new NotSentException("the backend is closed", null));
            }
            waiting = connecting;
        } finally {
            lock.unlock();
        }
        if (waiting.isDone()) {
            return waiting;
        }
        CompletableFuture<Session> limited = waiting.copy();
        Environment.Scheduled limit = environment.schedule(
                patience.toNanos(), () -> limited.completeExceptionally(new NotSentException(noAnswer(), null)));
        return limited.whenComplete((done, failure) -> limit.cancel());
    }

    private String noAnswer() {
        return "no ZooKeeper server has answered for " + patience.toMillis() + " ms ("
                + curator.getZookeeperClient().getCurrentConnectionString()
                + "); the log of org.apache.zookeeper says what was tried";
    }

    private CompletableFuture<Session> usable(Session session) {
        return timing.leavesNothingOf(session.timeout)
                ? CompletableFuture.failedFuture(new RefusedException(timing.explainTooShort(session.timeout)))
                : CompletableFuture.completedFuture(session);
    }

    /** Nothing is sent for newcomers any more. Returns the last session. */
    @Nullable
    Session close() {
        CompletableFuture<Session> waiting;
        Session last;
        lock.lock();
        try {
            closed = true;
            last = session;
            waiting = connecting;
        } finally {
            lock.unlock();
        }
        curator.getCuratorListenable().removeListener(watching);
        waiting.completeExceptionally(new NotSentException("the backend was closed", null));
        return last;
    }
}
