package dev.holdfast.redis;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The claims of this process that stand in line, each at one node, its home. A node that becomes free tells the next in
 * line that it is its turn; that is a hint, and core asks again. Whatever may have cost a claim its place is such a hint,
 * too: the home is silent, it restarted, or its inbox was broken for a while.
 */
final class Places {
    private static final int MISSES = 2;

    private record Place(String name, Member home) {}

    private record HolderText(Holder holder, String text) {}

    private final Environment environment;
    private final Events events;
    private final String channel;
    private final Duration window;
    private final ConcurrentHashMap<Owner, Place> places = new ConcurrentHashMap<>();
    private final AtomicIntegerArray misses;
    private final AtomicBoolean pinging = new AtomicBoolean();
    private volatile @Nullable HolderText lastHolder;
    private volatile boolean closed;
    private @Nullable Function<Member, ? extends CompletionStage<?>> ping;
    private @Nullable BiConsumer<Member, String[]> stray;

    Places(Environment environment, Events events, String channel, Duration window, int nodes) {
        this.environment = environment;
        this.events = events;
        this.channel = channel;
        this.window = window;
        this.misses = new AtomicIntegerArray(nodes);
    }

    /**
     * @param ping asks a node whether it is there and votes
     * @param stray gives back a turn that nobody here waits for: owner and name
     */
    void start(Function<Member, ? extends CompletionStage<?>> ping, BiConsumer<Member, String[]> stray) {
        this.ping = ping;
        this.stray = stray;
    }

    String channel() {
        return channel;
    }

    /** As a rule every claim of a process names the same holder. */
    String holderText(Holder holder) {
        HolderText known = lastHolder;
        if (known == null || !known.holder.equals(holder)) {
            known = new HolderText(holder, Wire.holder(holder));
            lastHolder = known;
        }
        return known.text;
    }

    // ---- claims

    /** Before the request is sent: the turn may come before its answer. */
    void expect(Claim claim, Member home) {
        places.put(claim.owner(), new Place(claim.name(), home));
        startPinging();
    }

    boolean has(Owner owner) {
        return places.containsKey(owner);
    }

    void forget(Owner owner) {
        places.remove(owner);
    }

    // ---- turns

    /** {@code owner counter name}. Returns the counter, or zero. */
    long turn(Member from, String text) {
        String[] fields = text.split(" ", 3);
        if (fields.length < 3) {
            events.disturbed(from.address(), "something that is no turn was published to " + channel);
            return 0;
        }
        Owner owner;
        long counter;
        try {
            owner = Owner.parse(fields[0]);
            counter = Long.parseLong(fields[1]);
        } catch (IllegalArgumentException notOurs) {
            events.disturbed(from.address(), "something that is no turn was published to " + channel);
            return 0;
        }
        if (places.remove(owner) != null) {
            events.maybeFree(fields[2]);
        } else if (stray != null) {
            stray.accept(from, new String[] {fields[0], fields[2]});
        }
        return counter;
    }

    /** Every claim that stands there may have lost its place. */
    void recheck(Member home) {
        for (Map.Entry<Owner, Place> each : places.entrySet()) {
            if (each.getValue().home == home && places.remove(each.getKey(), each.getValue())) {
                events.maybeFree(each.getValue().name);
            }
        }
    }

    // ---- is the home still there?

    private void startPinging() {
        if (pinging.compareAndSet(false, true)) {
            environment.schedule(window.toNanos(), this::pingHomes);
        }
    }

    private void pingHomes() {
        pinging.set(false);
        if (closed || places.isEmpty() || ping == null) {
            return;
        }
        startPinging();
        places.values().stream().map(Place::home).distinct().forEach(this::ping);
    }

    private void ping(Member home) {
        if (ping == null) {
            return;
        }
        ping.apply(home).whenComplete((answer, failure) -> {
            if (failure == null) {
                misses.set(home.index, 0);
            } else if (Member.unwrap(failure) instanceof Unadmitted || misses.incrementAndGet(home.index) >= MISSES) {
                misses.set(home.index, 0);
                recheck(home);
            }
        });
    }

    void close() {
        closed = true;
        places.clear();
    }
}
