package dev.holdfast.redis;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The claims of this process that stand in queues, and the grants that are pushed to it. */
final class Inbox {
    private static final int NOWHERE = 0;

    /** A claim that may stand in a queue. */
    private static final class Waiting {
        final Claim claim;
        final String entry;
        /** The subscription under which the server last confirmed its place; a push in that time must have reached us. */
        volatile int confirmedIn = NOWHERE;

        Waiting(Claim claim, String entry) {
            this.claim = claim;
            this.entry = entry;
        }
    }

    private final Environment environment;
    private final Events events;
    private final ServerClock clock;
    private final String channel;
    private final ConcurrentHashMap<Owner, Waiting> waiting = new ConcurrentHashMap<>();
    private final CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();
    /** Counts the subscriptions; zero before the first. */
    private final AtomicInteger subscription = new AtomicInteger();

    private volatile @Nullable RefusedException refusal;

    Inbox(Environment environment, Events events, ServerClock clock, String channel) {
        this.environment = environment;
        this.events = events;
        this.clock = clock;
        this.channel = channel;
    }

    String channel() {
        return channel;
    }

    // ---- the subscription

    /** Complete once the first attempt to subscribe has ended, well or not. */
    CompletableFuture<Boolean> firstAttempt() {
        return firstAttempt;
    }

    void subscribed() {
        refusal = null;
        subscription.incrementAndGet();
        if (!firstAttempt.complete(true)) {
            // Whatever was pushed while nobody listened is lost.
            events.recheckAll("the inbox was subscribed anew");
        }
    }

    void notSubscribed(Throwable why) {
        refusal = why instanceof RefusedException refused ? refused : null;
        firstAttempt.complete(false);
        events.disturbed("inbox", String.valueOf(why.getMessage()));
    }

    /** Why nobody can wait here, if the server does not let us. */
    @Nullable
    RefusedException refusal() {
        return refusal;
    }

    // ---- claims

    /** Before the claim is sent: its grant may be pushed before the answer arrives. */
    void expect(Claim claim, boolean counted) {
        if (!waiting.containsKey(claim.owner())) {
            waiting.putIfAbsent(claim.owner(), new Waiting(claim, Wire.entry(claim, channel, counted)));
        }
    }

    boolean hasPlace(Owner owner) {
        Waiting known = waiting.get(owner);
        return known != null && known.confirmedIn != NOWHERE;
    }

    /**
     * The server has just queued this claim, or found it in the queue.
     *
     * @param kept whether it stood there before
     * @return whether a push must have been lost: the claim had a place, and the subscription has been standing ever since
     */
    boolean queued(Owner owner, boolean kept) {
        Waiting known = waiting.get(owner);
        if (known == null) {
            return false;
        }
        int now = subscription.get();
        boolean lost = !kept && known.confirmedIn == now;
        known.confirmedIn = now;
        return lost;
    }

    /** As {@link #queued}, for a claim that was granted in the answer. It waits no longer. */
    boolean granted(Owner owner, boolean kept) {
        Waiting known = waiting.remove(owner);
        return known != null && !kept && known.confirmedIn == subscription.get();
    }

    /** Nothing was sent, or the server said no. A place from before is kept. */
    void refused(Owner owner) {
        Waiting known = waiting.get(owner);
        if (known != null && known.confirmedIn == NOWHERE) {
            waiting.remove(owner);
        }
    }

    /** Its queue entry, if there may be one that we know of. */
    @Nullable
    String forget(Owner owner) {
        Waiting known = waiting.remove(owner);
        return known == null ? null : known.entry;
    }

    // ---- pushes

    void message(String text) {
        Wire.Push push = Wire.Push.parse(text);
        if (push == null) {
            events.disturbed("inbox", "something that is no grant was published to " + channel);
            return;
        }
        long now = environment.nanoTime();
        Waiting known = waiting.get(push.owner());
        if (known == null) {
            // A repetition, or too late for a claim that was given up. Core knows which; valid it is in no case.
            events.granted(push.name(), push.owner(), new Grant(push.lastToken(), push.tokens(), now, true));
            return;
        }
        known.confirmedIn = NOWHERE;
        long left = leftNanos(push, known.claim.lease(), now);
        if (left <= 0) {
            // We cannot tell how old this is: claim first, and hand out after the answer.
            events.maybeFree(push.name());
            return;
        }
        waiting.remove(push.owner());
        events.granted(push.name(), push.owner(), new Grant(push.lastToken(), push.tokens(), now + left, true));
    }

    private long leftNanos(Wire.Push push, Duration lease, long now) {
        if (push.runId().isEmpty()) {
            return 0;
        }
        long age = clock.ageNanos(push.runId(), push.grantedMicros(), now, lease.toNanos());
        Duration window = Duration.ofMillis(push.windowMillis());
        return age < 0 ? 0 : window.toNanos() - age - Validity.driftNanos(window);
    }
}
