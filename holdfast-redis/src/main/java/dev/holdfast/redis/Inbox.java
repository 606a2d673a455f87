package dev.holdfast.redis;

import dev.holdfast.BackendNotice;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.redis.node.ServerClock;
import dev.holdfast.redis.node.ServerClocks;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The claims of this process that stand in queues, and the grants that are pushed to it.
 *
 * <p>Whoever may publish to our channel can send us anything. So a push counts only for a claim that waits here, under its
 * key, for no longer than our own claim window, with no more tokens than were asked for and a slot below its number, and with a
 * token that the server's clock covers; a push for any other owner changes nothing, at the server least of all.
 */
final class Inbox {
    private static final int NOWHERE = 0;
    /** What we publish to ourselves begins so: see {@link QueuedClaimsCheck}. */
    static final String ECHO = "echo ";

    /** The channel of one subscription, and which one it is; number zero before the first. */
    private record Subscription(int number, String channel) {}

    /** A claim that may stand in a queue. */
    private static final class Waiting {
        final Claim claim;
        /** As it stands in the queue, or will if the question under way puts it there. */
        volatile String entry;
        /** As it may still stand there, under the channel of an earlier subscription; empty if it does not. */
        volatile String former = "";
        /** The subscription under which the server last confirmed its place; a push in that time must have reached us. */
        volatile int confirmedIn = NOWHERE;

        Waiting(Claim claim, String entry) {
            this.claim = claim;
            this.entry = entry;
        }
    }

    /** A place that the server confirmed. */
    record Place(String key, Owner owner, int slots, String entry) {}

    private final Environment environment;
    private final Events events;
    private final ServerClocks clocks;
    private final Duration window;
    private final boolean confirmed;
    private final MalformedMessages malformed;
    private final ConcurrentHashMap<Owner, Waiting> waiting = new ConcurrentHashMap<>();
    private final CompletableFuture<Boolean> firstAttempt = new CompletableFuture<>();
    /** Written by the listener of the node only: one call at a time. */
    private volatile Subscription subscription = new Subscription(NOWHERE, "");
    /** The last echo that came back. */
    private volatile long heard;

    private volatile @Nullable RefusedException refusal;

    /** @param confirmed whether every grant has to be confirmed: then a push is a hint */
    Inbox(Environment environment, Events events, ServerClocks clocks, Duration window, boolean confirmed) {
        this.confirmed = confirmed;
        this.environment = environment;
        this.events = events;
        this.clocks = clocks;
        this.window = window;
        this.malformed =
                new MalformedMessages(environment, what -> events.notice(BackendNotice.warning("inbox", what)));
    }

    /** The channel under which the server reaches us now, or did last. */
    String channel() {
        return subscription.channel();
    }

    // ---- the subscription

    /** Complete once the first attempt to subscribe has ended, successful or not. */
    CompletableFuture<Boolean> firstAttempt() {
        return firstAttempt;
    }

    /** How many subscriptions there have been. */
    int subscriptions() {
        return subscription.number();
    }

    void subscribed(String channel) {
        refusal = null;
        subscription = new Subscription(subscription.number() + 1, channel);
        if (!firstAttempt.complete(true)) {
            // Whatever was pushed while nobody listened is lost, and entries in queues name the channel before this
            // one.
            events.recheckAll("the inbox was subscribed anew");
        }
    }

    void notSubscribed(Throwable why) {
        refusal = why instanceof RefusedException refused ? refused : null;
        firstAttempt.complete(false);
        events.notice(BackendNotice.warning("inbox", Failures.describe(why)));
    }

    /** Why nobody can wait here, if the server does not let us. */
    @Nullable
    RefusedException refusal() {
        return refusal;
    }

    // ---- claims

    /**
     * Before the claim is sent: its grant may be pushed before the answer arrives. A claim is never sent twice at once.
     *
     * @param entry with which it is queued
     * @return its entry under an earlier channel, if it may stand in the queue with that; otherwise empty
     */
    String expect(Claim claim, String entry) {
        Waiting known = waiting.get(claim.owner());
        if (known == null) {
            waiting.putIfAbsent(claim.owner(), new Waiting(claim, entry));
            return "";
        }
        if (!known.entry.equals(entry)) {
            if (known.former.isEmpty() && known.confirmedIn != NOWHERE) {
                known.former = known.entry;
            }
            known.entry = entry;
        }
        return known.former;
    }

    boolean hasPlace(Owner owner) {
        Waiting known = waiting.get(owner);
        return known != null && known.confirmedIn != NOWHERE;
    }

    /** Every place that the server has confirmed and, as far as we know, not taken back. */
    List<Place> places() {
        List<Place> places = new ArrayList<>();
        for (Waiting each : waiting.values()) {
            // One that changes its channel is being asked about already.
            if (each.confirmedIn != NOWHERE && each.former.isEmpty()) {
                places.add(new Place(each.claim.key(), each.claim.owner(), each.claim.slots(), each.entry));
            }
        }
        return places;
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
        int now = subscription.number();
        boolean lost = !kept && known.confirmedIn == now;
        known.confirmedIn = now;
        known.former = "";
        return lost;
    }

    /** As {@link #queued}, for a claim that was granted in the answer. It waits no longer. */
    boolean granted(Owner owner, boolean kept) {
        Waiting known = waiting.remove(owner);
        return known != null && !kept && known.confirmedIn == subscription.number();
    }

    /** Nothing was sent, or the server said no. A place from before is kept. */
    void refused(Owner owner) {
        Waiting known = waiting.get(owner);
        if (known != null && known.confirmedIn == NOWHERE) {
            waiting.remove(owner);
        }
    }

    /** Its queue entry, if there is one that we are sure of. */
    @Nullable
    String forget(Owner owner) {
        Waiting known = waiting.remove(owner);
        return known == null || !known.former.isEmpty() ? null : known.entry;
    }

    // ---- pushes

    /** The number of the last echo that was heard. */
    long heard() {
        return heard;
    }

    void message(String text) {
        if (text.startsWith(ECHO)) {
            heard = MalformedMessages.number(text.substring(ECHO.length()));
            return;
        }
        Wire.Push push = Wire.Push.parse(text);
        if (push == null) {
            malformed.note("something that is no grant was published to our channel");
            return;
        }
        Waiting known = waiting.get(push.owner());
        if (known == null) {
            // A repetition; or for a claim that was granted in an answer, or taken back: whoever takes one back ends
            // its
            // tenure at the server, too. Or it was never ours, and then it is not for us to end.
            return;
        }
        Claim claim = known.claim;
        if (!push.key().equals(claim.key()) || push.tokens() > claim.tokens() || push.slot() >= claim.slots()) {
            malformed.note("a grant was published to our channel that does not fit the claim for "
                    + (claim.kind() == LockKind.LOCK ? "'" + claim.key() + "'" : LockKey.decode(claim.key())));
            return;
        }
        known.confirmedIn = NOWHERE;
        long now = environment.nanoTime();
        long left = leftNanos(push, claim.lease(), now);
        if (left <= 0) {
            // We cannot tell how old this is, or it cannot be right: claim first, and hand out after the answer.
            events.maybeFree(claim.key());
            return;
        }
        waiting.remove(push.owner());
        Grant grant = new Grant(push.lastToken(), push.tokens(), now + left, true);
        events.granted(claim.key(), push.owner(), push.slot() == 0 ? grant : grant.ofSlot(push.slot()));
    }

    private long leftNanos(Wire.Push push, Duration lease, long now) {
        // A grant that replicas have to confirm is confirmed by a claim.
        ServerClock clock = clocks.of(push.runId());
        if (confirmed || push.runId().isEmpty() || clock.isAhead(push.runId(), push.lastToken(), now)) {
            return 0;
        }
        long age = clock.ageNanos(push.runId(), push.grantedMicros(), now, lease.toNanos());
        Duration given =
                Duration.ofMillis(Math.min(push.windowMillis(), Math.min(window.toMillis(), lease.toMillis())));
        return age < 0 ? 0 : given.toNanos() - age - Validity.driftNanos(given);
    }
}
