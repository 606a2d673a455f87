package dev.holdfast.zookeeper;

import dev.holdfast.BackendNotice;
import dev.holdfast.spi.Events;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Passes on what happens to the connection. Complete before the connection is opened, and not changed afterwards. */
final class ConnectionEvents implements SessionTracker.Listener {
    private final Events events;
    private @Nullable ClaimQueue claims;
    private @Nullable Heartbeat beat;
    private SessionGuard.@Nullable Factory guards;

    ConnectionEvents(Events events) {
        this.events = events;
    }

    /** These need the tracker, which needs this. */
    void begin(ClaimQueue claims, Heartbeat beat, SessionGuard.Factory guards) {
        this.claims = claims;
        this.beat = beat;
        this.guards = guards;
    }

    @Override
    public void connected(Session session, boolean again) {
        guard(session);
        Heartbeat heart = Objects.requireNonNull(beat);
        if (session.beginsToBeat()) {
            heart.start(session);
        } else {
            var unused = heart.beat(session);
        }
        if (again) {
            events.recheckAll("ZooKeeper is back");
        }
    }

    private void guard(Session session) {
        SessionGuard guard = session.guard;
        if (guard != null) {
            guard.connected();
        } else if (session.handle instanceof HandleFactory.Handle) {
            session.guard = Objects.requireNonNull(guards).of(session);
        }
    }

    @Override
    public void disconnected(Session session) {
        // Every renewal is answered with "unknown" now: that is what makes the leases uncertain at once.
        events.recheckAll("contact with ZooKeeper is interrupted");
    }

    @Override
    public void ended(Session session) {
        events.notice(BackendNotice.warning("ZooKeeper", "the session 0x" + Long.toHexString(session.id) + " is over"));
        Objects.requireNonNull(claims).ended(session);
    }
}
