package dev.holdfast.redis.quorum;

import dev.holdfast.BackendNotice;
import dev.holdfast.redis.node.MemoryPolicy;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes the vote of nodes that may forget a lock, or have done so. What a server does when its memory is full is read on
 * every connection; it can also be set at run time, so it is read again every few seconds while the client is in use. Best
 * effort: a key that was removed since the last look was removed while the node voted.
 */
final class MemoryWatch {
    private static final long PERIOD_NANOS = 5_000_000_000L;

    private final Quorum quorum;
    private final Environment environment;
    private final Events events;
    /** What each node said when it was last compared. */
    private final Map<Member, MemoryPolicy> last = new ConcurrentHashMap<>();

    private final AtomicBoolean planned = new AtomicBoolean();
    private volatile boolean closed;

    MemoryWatch(Quorum quorum, Events events) {
        this.quorum = quorum;
        this.environment = quorum.environment;
        this.events = events;
    }

    /** The client does something. An idle one sends nothing. */
    void used() {
        if (!planned.get() && !closed && planned.compareAndSet(false, true)) {
            environment.schedule(PERIOD_NANOS, this::look);
        }
    }

    private void look() {
        planned.set(false);
        if (closed) {
            return;
        }
        for (Member member : quorum.members.all) {
            // A node that does not say it will not say it the next time either; and one that is not connected is asked
            // on
            // connecting.
            if (member.node.memory().known()) {
                member.node.identify().whenComplete((identity, failure) -> {
                    if (failure == null) {
                        compare(member);
                    }
                });
            }
        }
    }

    /** The node was asked just now, on connecting or by us. */
    void compare(Member member) {
        MemoryPolicy now = member.node.memory();
        if (!now.known()) {
            return;
        }
        MemoryPolicy before = last.put(member, now);
        if (now.mayEvict()) {
            if (before == null || !before.mayEvict()) {
                // Says why, to whom asks and to listeners, and has the node watched.
                var unused = quorum.look(member);
            }
            return;
        }
        long evicted = before == null ? 0 : now.evictedSince(before);
        if (evicted > 0) {
            events.notice(BackendNotice.danger(
                    member.address(),
                    "it has removed " + evicted + " keys to make room, perhaps held locks among them: it does not vote"
                            + " until every lease is over that it may have forgotten. " + MemoryPolicy.REMEDY));
            var unused = quorum.admission.suspend(member).thenCompose(done -> quorum.look(member));
        }
    }

    void close() {
        closed = true;
    }
}
