package dev.holdfast.redis;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Replies;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.ScriptRunner;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Looks every few seconds whether the claims of this process still stand in their queues: the data may be gone, a push
 * may have been lost, the inbox may be dead without anybody having been told. One request for all names of a kind that a server
 * takes in one; none while nobody waits.
 *
 * <p>Each look also publishes a word to our own inbox. If nobody receives it, or it has not been heard by the next look, the
 * inbox is replaced: before a grant is pushed into nothing, where nothing was pushed meanwhile.
 */
final class QueuedClaimsCheck {
    private static final long SHORTEST_NANOS = 2_500_000_000L;
    private static final long SPREAD_NANOS = 1_000_000_000L;

    private final Topology servers;
    private final Keys keys;
    private final Environment environment;
    private final Events events;
    private final Inbox inbox;
    /** Whether a look is planned or under way. */
    private final AtomicBoolean planned = new AtomicBoolean();

    /** Only by the look that is planned or under way: the last echo, and under which subscription somebody received it. */
    private long echo;

    private volatile int receivedIn;
    private volatile boolean closed;

    QueuedClaimsCheck(Topology servers, Keys keys, Environment environment, Events events, Inbox inbox) {
        this.servers = servers;
        this.keys = keys;
        this.environment = environment;
        this.events = events;
        this.inbox = inbox;
    }

    /** A claim was queued. */
    void somebodyWaits() {
        if (!planned.get() && planned.compareAndSet(false, true)) {
            plan();
        }
    }

    private void plan() {
        // Processes that lost the same server must not look in step.
        long spread = (long) (environment.random().nextDouble() * SPREAD_NANOS);
        environment.schedule(SHORTEST_NANOS + spread, this::look);
    }

    private void look() {
        if (closed) {
            return;
        }
        List<Inbox.Place> places = inbox.places();
        if (places.isEmpty()) {
            planned.set(false);
            receivedIn = 0;
            // A claim that was queued since we looked found a look planned.
            if (!inbox.places().isEmpty()) {
                somebodyWaits();
            }
            return;
        }
        if (servers.isSubscribed()) {
            requireHeard();
            echo++;
            boolean first = true;
            for (LookRequest request : LookRequest.of(servers, places)) {
                ask(request, first);
                first = false;
            }
        }
        plan();
    }

    /** What somebody received under the subscription that still stands must have come to us by now. */
    private void requireHeard() {
        if (receivedIn != 0 && receivedIn == inbox.subscriptions() && inbox.heard() != echo) {
            servers.replaceInbox();
        }
        receivedIn = 0;
    }

    private void ask(LookRequest request, boolean first) {
        String[] all = request.keys(keys);
        String[] arguments = request.arguments(first ? inbox.channel() : "", Inbox.ECHO + echo);
        int subscription = inbox.subscriptions();
        var unused = servers.at(request.key(), server -> look(server, request.script(), all, arguments))
                .whenComplete((answer, failure) -> {
                    if (failure != null || closed) {
                        // When the connection is back, all claims ask again anyway.
                        return;
                    }
                    Replies.Looked looked = Replies.Looked.of(answer.reply());
                    if (first) {
                        received(looked.receivers(), answer.counted(), subscription);
                    }
                    for (int index : looked.askAgain()) {
                        Inbox.Place place = request.places().get(index);
                        if (inbox.hasPlace(place.owner())) {
                            events.maybeFree(place.key());
                        }
                    }
                });
    }

    /** An answer, and whether its server counts all who received the echo. */
    private record Counted(List<Object> reply, boolean counted) {}

    private static CompletionStage<Counted> look(ScriptRunner server, Script script, String[] all, String[] arguments) {
        boolean counted = server.identity().countsReceivers();
        return server.eval(script, all, arguments).thenApply(reply -> new Counted(reply, counted));
    }

    private void received(long receivers, boolean counted, int subscription) {
        if (receivers > 0 || !counted) {
            receivedIn = subscription;
        } else if (subscription == inbox.subscriptions()) {
            servers.replaceInbox();
        }
    }

    void close() {
        closed = true;
    }
}
