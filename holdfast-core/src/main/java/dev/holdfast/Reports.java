package dev.holdfast;

import dev.holdfast.spi.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the listener, one event at a time and never on the thread that made it; tells the log what went wrong. */
final class Reports {
    private static final int MOST_PENDING = 10_000;

    private final @Nullable LockListener listener;
    private final UserCode userCode;
    private final Murmur log;
    // Guards pending and draining. Held only to add or take one event.
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Consumer<LockListener>> pending = new ArrayDeque<>();
    private boolean draining;

    Reports(@Nullable LockListener listener, UserCode userCode, Murmur log) {
        this.listener = listener;
        this.userCode = userCode;
        this.log = log;
    }

    void acquired(TenureLease lease, long waitedNanos) {
        if (listener != null) {
            tell(each -> each.acquired(lease.name(), lease.token(), Duration.ofNanos(waitedNanos)));
        }
    }

    void released(TenureLease lease, Environment environment) {
        if (listener != null) {
            Duration held = Duration.ofNanos(environment.nanoTime() - lease.sinceNanos);
            tell(each -> each.released(lease.name(), lease.token(), held));
        }
    }

    void lost(Loss loss) {
        if (loss.kind() == Loss.Kind.LOST) {
            log.warn("lost", loss.toString());
        }
        tell(each -> each.lost(loss));
    }

    void renewalFailed(Tenure tenure, Throwable cause) {
        log.warn("renewal", "Renewal of '" + tenure.name + "' brought no answer, trying again: " + cause);
        tell(each -> each.renewalFailed(tenure.name, new FencingToken(tenure.lastToken), cause));
    }

    void releaseUnconfirmed(String name, Throwable cause) {
        log.warn("release", "Release of '" + name + "' is not confirmed, trying again: " + cause);
        tell(each -> each.disturbed("release of '" + name + "'", "not confirmed: " + cause));
    }

    void disturbed(String where, String what) {
        log.warn("disturbed " + where, where + ": " + what);
        tell(each -> each.disturbed(where, what));
    }

    void selfDeadlock(Waiter waiter, long heldNanos) {
        log.warn(
                "self-deadlock",
                "Thread '" + waiter.threadName + "' waits for lock '" + waiter.name
                        + "', which it (or another thread of that name) acquired "
                        + Texts.ofNanos(heldNanos) + " ago. A lease is not reentrant: unless somebody else closes it,"
                        + " this waits for ever. Use DistributedLock.asLock() where code re-enters.");
    }

    void bug(Throwable bug) {
        log.bug(bug);
    }

    private void tell(Consumer<LockListener> event) {
        if (listener == null) {
            return;
        }
        boolean start;
        lock.lock();
        try {
            if (pending.size() == MOST_PENDING) {
                log.warn("listener", "The LockListener does not keep up; events are dropped");
                return;
            }
            pending.add(event);
            start = !draining;
            draining = true;
        } finally {
            lock.unlock();
        }
        if (start) {
            userCode.run(() -> drain(listener));
        }
    }

    private void drain(LockListener to) {
        Consumer<LockListener> event;
        while ((event = next()) != null) {
            try {
                event.accept(to);
            } catch (RuntimeException | Error e) {
                log.warn("listener", "The LockListener threw; the lock is not affected by it", e);
            }
        }
    }

    private @Nullable Consumer<LockListener> next() {
        lock.lock();
        try {
            Consumer<LockListener> event = pending.poll();
            draining = event != null;
            return event;
        } finally {
            lock.unlock();
        }
    }
}
