package dev.holdfast.etcd;

import dev.holdfast.BackendNotice;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import io.grpc.Channel;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The members of the cluster that we know, and which of them is asked: always one, for all requests and streams. Whoever finds
 * that it does not answer moves on to the next. gRPC could do that by itself, but only for a connection that breaks: a member
 * that stands still keeps its connections, and one that has lost its leader answers.
 *
 * <p>A connection is made with the first request. Safe for use by many threads; no lock is held.
 */
final class Members {
    /** One of them, as it was at one time the one to ask. */
    record Member(int turn, String label, Channel channel) {}

    private final List<Settings.Endpoint> endpoints;
    private final List<ManagedChannel> ours = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();
    private final Environment environment;
    private final Events events;
    /** Grows with each move; the member is the rest of the division by their number. */
    private final AtomicInteger turn;

    private final List<Runnable> onMove = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    /** Begins anywhere, so that the processes of an application do not all ask the same member. */
    Members(Settings settings, Environment environment, Events events) {
        this.endpoints = settings.endpoints();
        this.environment = environment;
        this.events = events;
        this.turn = new AtomicInteger(environment.random().nextInt(endpoints.size()));
        for (Settings.Endpoint endpoint : endpoints) {
            Channel given = settings.channel();
            if (given == null) {
                ManagedChannel made = settings.newChannel(endpoint);
                ours.add(made);
                channels.add(made);
            } else {
                channels.add(given);
            }
        }
    }

    int count() {
        return channels.size();
    }

    /**
     * Called after each move, and not by the thread that found the reason for it: that may be gRPC, on its way through the streams
     * of a connection that broke, and nobody may end one of them meanwhile.
     */
    void onMove(Runnable listener) {
        onMove.add(listener);
    }

    Member current() {
        return at(turn.get());
    }

    private Member at(int number) {
        int index = Math.floorMod(number, channels.size());
        return new Member(number, endpoints.get(index).toString(), channels.get(index));
    }

    /** Does nothing if somebody has moved on from it already. */
    void moveOn(Member from, String why) {
        if (closed || !turn.compareAndSet(from.turn(), from.turn() + 1)) {
            return;
        }
        if (channels.size() > 1) {
            events.notice(BackendNotice.warning("etcd " + from.label(), why + "; asking another member"));
        }
        wake(current());
        environment.schedule(0, () -> onMove.forEach(Runnable::run));
    }

    /** gRPC waits longer and longer before it connects again, up to two minutes. Who asks decides how often. */
    void wake(Member member) {
        if (member.channel() instanceof ManagedChannel channel
                && ours.contains(channel)
                && channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
            channel.resetConnectBackoff();
        }
    }

    /** Hangs up on those that are ours. */
    void close() {
        closed = true;
        ours.forEach(ManagedChannel::shutdownNow);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        try {
            for (ManagedChannel channel : ours) {
                channel.awaitTermination(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
