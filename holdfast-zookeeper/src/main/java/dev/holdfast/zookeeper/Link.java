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
final class Link {
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
    private final CuratorListener ears = (client, event) -> heed(event);
    // Guards what follows. Nobody is called while it is held.
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Session session;
    private boolean connected;
    private boolean closed;
    /** Whatever connection comes next was asked for after this; null if we do not know. */
    private @Nullable Long connectsAfterNanos;

    private CompletableFuture<Session> connecting = new CompletableFuture<>();

    Link(CuratorFramework curator, Timing timing, Duration patience, Environment environment, Listener listener) {
        this.curator = curator;
        this.timing = timing;
        this.patience = patience;
        this.environment = environment;
        this.listener = listener;
    }

    void open(boolean own) {
        if (curator.getState() == CuratorFrameworkState.LATENT) {
            connectsAfterNanos = environment.nanoTime();
        }
        curator.getCuratorListenable().addListener(ears);
        if (own) {
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

    private void heed(CuratorEvent event) {
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
            if (closed || (same && connected)) {
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
        note(now, afterNanos);
        if (before != null && now != before) {
            before.end();
            listener.ended(before);
        }
        listener.connected(now, before != null);
        waiting.complete(now);
    }

    private static void note(Session session, @Nullable Long afterNanos) {
        if (session.handle instanceof Handles.Handle ours) {
            session.proof.connected(ours.connectedAfterNanos());
        } else if (afterNanos != null) {
            session.proof.connected(afterNanos);
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
                + curator.getZookeeperClient().getCurrentConnectionString() + ")";
    }

    private CompletableFuture<Session> usable(Session session) {
        return timing.leavesNothingOf(session.timeout)
                ? CompletableFuture.failedFuture(new RefusedException(timing.complaint(session.timeout)))
                : CompletableFuture.completedFuture(session);
    }

    /** From here on nothing is begun. Returns the session that was. */
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
        curator.getCuratorListenable().removeListener(ears);
        waiting.completeExceptionally(new NotSentException("the backend was closed", null));
        return last;
    }
}
