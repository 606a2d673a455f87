package dev.holdfast.redis.quorum;

import dev.holdfast.redis.quorum.Places.Place;
import dev.holdfast.spi.Environment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Looks after the claims that stand in line, whatever they were told: once in a claim window, with one request to each
 * node for all of them. A release may have reached a majority and not the home, a turn may have been lost with an inbox
 * that died in silence, and the home may be gone.
 */
final class PlaceCheck {
    private static final int MISSES = 2;
    /** Locks in a request. A script must not keep its server from the others for long. */
    private static final int MANY = 200;

    private final Quorum quorum;
    private final Places places;
    private final Members members;
    private final Environment environment;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    /** By node: how often in a row a home has not answered. */
    private final AtomicIntegerArray misses;
    /** By node: how often in a row a turn was not heard there. */
    private final AtomicIntegerArray unheard;

    private volatile boolean closed;

    PlaceCheck(Quorum quorum) {
        this.quorum = quorum;
        this.places = quorum.places;
        this.members = quorum.members;
        this.environment = quorum.environment;
        this.misses = new AtomicIntegerArray(members.size());
        this.unheard = new AtomicIntegerArray(members.size());
    }

    /** There is a place to look after. */
    void start() {
        if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
            environment.schedule(quorum.window.toNanos(), this::lookAtAll);
        }
    }

    /** Something was pushed by this node. */
    void heard(Member member) {
        unheard.set(member.index, 0);
    }

    void close() {
        closed = true;
    }

    private void lookAtAll() {
        scheduled.set(false);
        List<Place> all = places.all();
        if (closed || all.isEmpty()) {
            return;
        }
        start();
        List<Place> some = new ArrayList<>();
        int locks = 0;
        for (Place place : all) {
            some.add(place);
            locks += place.slots();
            if (locks >= MANY) {
                lookAt(List.copyOf(some));
                some.clear();
                locks = 0;
            }
        }
        if (!some.isEmpty()) {
            lookAt(List.copyOf(some));
        }
    }

    private void lookAt(List<Place> some) {
        List<String> names =
                some.stream().flatMap(place -> place.names().stream()).toList();
        Gather.all(
                        members,
                        member -> quorum.look(member, names, at(member, some))
                                .whenComplete((reply, failure) -> answered(member, some, failure)),
                        gather -> gather.pending() > 0 ? null : gather)
                .thenAccept(gather -> {
                    LockSight sight = new LockSight(members);
                    Set<Place> inLine = new HashSet<>();
                    gather.forEach((member, looked) -> {
                        sight.add(member, names, looked);
                        List<Place> here = at(member, some);
                        for (int i = 0; i < here.size(); i++) {
                            if (looked.inLine().get(i)) {
                                inLine.add(here.get(i));
                            }
                        }
                    });
                    some.forEach(place -> judge(place, sight, inLine.contains(place)));
                });
    }

    private static List<Place> at(Member member, List<Place> some) {
        return some.stream().filter(place -> place.home() == member).toList();
    }

    private void answered(Member member, List<Place> some, @Nullable Throwable problem) {
        if (some.stream().noneMatch(place -> place.home() == member)) {
            return;
        }
        if (problem == null) {
            misses.set(member.index, 0);
        } else if (Member.unwrap(problem) instanceof Unadmitted || misses.incrementAndGet(member.index) >= MISSES) {
            misses.set(member.index, 0);
            places.recheck(member);
        }
    }

    private void judge(Place place, LockSight sight, boolean inLine) {
        Member home = place.home();
        List<String> names = place.names();
        if (sight.vote(names.get(0), home) == null || !places.isIdle(place)) {
            return;
        }
        if (!inLine) {
            // Its turn came and was not heard, or its home has forgotten it.
            if (unheard.incrementAndGet(home.index) >= MISSES) {
                unheard.set(home.index, 0);
                home.node.replaceInbox();
            }
            places.lost(place);
            return;
        }
        String leftOver = null;
        for (String name : names) {
            LockSight.Vote atHome = sight.vote(name, home);
            if (atHome == null || sight.mayBeHeld(name) || atHome.isReservation()) {
                continue;
            }
            if (atHome.isAbsent()) {
                quorum.handOver(home, name);
            } else {
                leftOver = name;
            }
        }
        if (leftOver != null) {
            // There is a vote of somebody who does not hold it any more, or never did.
            places.maybeFree(place, leftOver);
        }
    }
}
