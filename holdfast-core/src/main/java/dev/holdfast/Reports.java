package dev.holdfast;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.Secrets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the listener, one event at a time and never on the thread that made it; tells the log what went wrong. */
final class Reports {
    private static final int MOST_PENDING = 10_000;
    /** Of each kind, in ten seconds. A store in trouble says the same thing thousands of times. */
    private static final int MOST_NOTICES = 10;

    private final @Nullable LockListener listener;
    private final UserCode userCode;
    private final RateLimitedLog log;
    private final RateLimit notices;
    // Guards everything below. Held only to add or take one event.
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Consumer<LockListener>> pending = new ArrayDeque<>();
    private boolean draining;
    private int dropped;

    Reports(@Nullable LockListener listener, UserCode userCode, RateLimitedLog log, Environment environment) {
        this.listener = listener;
        this.userCode = userCode;
        this.log = log;
        this.notices = new RateLimit(environment, MOST_NOTICES);
    }

    /** Whether anybody listens. Whoever makes an event only for the listener asks first. */
    boolean isHeard() {
        return listener != null;
    }

    // ---- what happens to waiters and leases: every one of them, because listeners count them

    void waiting(Waiter waiter) {
        tell(each -> each.waiting(waiter.lockKey()));
    }

    void refused(Waiter waiter, Refusal refusal) {
        if (listener == null) {
            return;
        }
        Duration waited = Duration.ofNanos(refusal.waitedNanos());
        if (refusal.kind() == Refusal.Kind.UNAVAILABLE) {
            Throwable cause = refusal.cause() == null
                    ? new TimeoutException("the backend has not answered")
                    : Secrets.mask(refusal.cause());
            tell(each -> each.unavailable(waiter.lockKey(), waited, cause));
        } else if (waiter.immediate && refusal.kind() == Refusal.Kind.BUSY) {
            tell(each -> each.refused(waiter.lockKey()));
        } else {
            tell(each -> each.gaveUp(waiter.lockKey(), waited));
        }
    }

    void acquired(TenureLease lease, long waitedNanos) {
        if (listener != null) {
            tell(each -> each.acquired(lease.key(), lease.token(), Duration.ofNanos(waitedNanos)));
        }
    }

    void released(TenureLease lease, Environment environment) {
        if (listener != null) {
            Duration held = Duration.ofNanos(environment.nanoTime() - lease.sinceNanos);
            tell(each -> each.released(lease.key(), lease.token(), held));
        }
    }

    void lost(Loss loss) {
        if (loss.kind() == Loss.Kind.LOST) {
            log.warn("lost", loss.toString());
        }
        tell(each -> each.lost(loss));
    }

    void renewed(TenureLease lease) {
        if (listener != null) {
            tell(each -> each.renewed(lease.key(), lease.token()));
        }
    }

    void renewalFailed(TenureLease lease, Throwable cause) {
        log.warn("renewal", "Renewal of " + lease.key() + " brought no answer, trying again: " + cause);
        Throwable shown = Secrets.mask(cause);
        tell(each -> each.renewalFailed(lease.key(), lease.token(), shown));
    }

    /** An operator's deed: in the log whatever the log is limited to, so that it can be found afterwards. */
    void broken(LockState ended, Holder by) {
        log.record(Texts.oneLine(
                LockKey.describeCapitalized(ended.key().encoded()) + " was broken by " + by + ": its holder was "
                        + ended.holder() + "; its tokens were " + ended.tokens() + ". The holder may not know it yet"));
        tell(each -> each.broken(ended, by));
    }

    void breakUnconfirmed(LockState seen, Holder by, Throwable cause) {
        log.record(Texts.oneLine(LockKey.describeCapitalized(seen.key().encoded()) + " may have been broken by " + by
                + ", the outcome is not known: " + Failures.describe(cause) + ". Its holder was " + seen.holder()
                + "; its tokens were " + seen.tokens()));
    }

    // ---- notices: a few of each kind

    void releaseUnconfirmed(String key, Throwable cause) {
        log.warn("release", "Release of " + LockKey.describe(key) + " is not confirmed, trying again: " + cause);
        tell("release", BackendNotice.warning("release of " + LockKey.describe(key), "not confirmed: " + cause));
    }

    void minimumNotKept(String key) {
        String what = "not kept: the lock was gone already when it was closed, and somebody else may have it";
        log.warn("minimum", "The minimum hold of " + LockKey.describe(key) + " is " + what);
        tell("minimum", BackendNotice.warning("minimum hold of " + LockKey.describe(key), what));
    }

    /** @param left how long the backend may keep, at the most, what is to be taken back */
    void withdrawalFailed(String key, Throwable cause, Duration left) {
        String what = "not confirmed, trying again; what the backend may have granted ends by itself within "
                + Texts.of(left) + ": " + Failures.describe(cause);
        log.warn("withdrawal", "Withdrawal of a claim for " + LockKey.describe(key) + " is " + what);
        tell("withdrawal", BackendNotice.warning("withdrawal of a claim for " + LockKey.describe(key), what));
    }

    void notice(BackendNotice notice) {
        // Good news must not be left out because bad news of the same place came just before.
        String kind = notice.severity() + " " + notice.source();
        if (notice.severity() == Severity.NOTE) {
            log.info(kind, notice.toString());
        } else {
            log.warn(kind, notice.toString());
        }
        tell(kind, notice);
    }

    private void tell(String kind, BackendNotice notice) {
        if (listener == null) {
            return;
        }
        int leftOut = notices.admit(kind);
        if (leftOut >= 0) {
            String shown = notice.text() + RateLimit.more(leftOut);
            tell(each -> each.notice(new BackendNotice(notice.severity(), notice.source(), shown)));
        }
    }

    void selfDeadlock(Waiter waiter, long heldNanos) {
        log.warn(
                "self-deadlock",
                "Thread '" + waiter.threadName + "' waits for " + waiter.lockKey()
                        + ", which it (or another thread of that name) acquired "
                        + Texts.ofNanos(heldNanos) + " ago. A lease is not reentrant: unless somebody else closes it,"
                        + " this waits for ever. "
                        + (waiter.lockKey().kind() == LockKind.READ_WRITE_LOCK
                                ? "There is no upgrade from reading to writing: close the read lease first."
                                : "Use DistributedLock.asLock() where code re-enters."));
    }

    // ---- elections: each has lines of its own, so that one that flaps does not hide another

    void election(String name, String text) {
        log.info("election '" + name + "'", text);
    }

    void electionTrouble(String name, String text) {
        log.warn("trouble of election '" + name + "'", text);
    }

    void taskThrew(String name, Throwable failure) {
        log.warn(
                "task of election '" + name + "'",
                "The task of leader '" + name + "' threw; it competes again, after a pause",
                failure);
    }

    void bug(Throwable bug) {
        log.bug(bug);
    }

    // ---- telling

    private void tell(Consumer<LockListener> event) {
        if (listener == null) {
            return;
        }
        boolean start;
        lock.lock();
        try {
            if (pending.size() == MOST_PENDING) {
                dropped++;
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
            // Never refuses: otherwise draining would stay set, and nothing be heard any more.
            userCode.run(() -> drain(listener));
        }
    }

    private void drain(LockListener to) {
        Consumer<LockListener> event;
        while ((event = next()) != null) {
            try {
                event.accept(to);
            } catch (Throwable e) {
                // Also a checked exception, from a language that does not declare them.
                log.warn("listener", "The LockListener threw; the lock is not affected by it", e);
            }
        }
    }

    private @Nullable Consumer<LockListener> next() {
        lock.lock();
        try {
            Consumer<LockListener> event = pending.poll();
            if (event == null && dropped > 0) {
                String what = dropped + " events were dropped, because it did not keep up";
                dropped = 0;
                event = each -> each.notice(BackendNotice.warning("the listener", what));
            }
            draining = event != null;
            return event;
        } finally {
            lock.unlock();
        }
    }
}
