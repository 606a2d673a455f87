package dev.holdfast.redis.quorum;

import dev.holdfast.redis.quorum.Places.Place;
import dev.holdfast.spi.Environment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    /** A script must not keep its server from the others for long. */
    private static final int MOST_PLACES = 200;

    private static final String NOBODY = "";
    private static final String RESERVED = "0";

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
        for (int from = 0; from < all.size(); from += MOST_PLACES) {
            lookAt(all.subList(from, Math.min(all.size(), from + MOST_PLACES)));
        }
    }

    private void lookAt(List<Place> some) {
        Sight sight = new Sight(some);
        Gather.all(
                        members,
                        member -> {
                            List<Place> ordered = sight.ofNode(member);
                            var answer = quorum.look(
                                    member,
                                    ordered.stream().map(Place::name).toList(),
                                    ordered.stream()
                                            .filter(place -> place.home() == member)
                                            .map(Place::entry)
                                            .toList());
                            return answer.whenComplete((reply, failure) -> answered(member, some, failure));
                        },
                        gather -> gather.pending() > 0 ? null : gather)
                .thenAccept(gather -> {
                    gather.forEach(sight::add);
                    some.forEach(place -> judge(place, sight));
                });
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

    private void judge(Place place, Sight sight) {
        Member home = place.home();
        Vote atHome = sight.vote(place, home);
        if (atHome == null || !places.isIdle(place)) {
            return;
        }
        if (!sight.isInLine(place)) {
            // Its turn came and was not heard, or its home has forgotten it.
            if (unheard.incrementAndGet(home.index) >= MISSES) {
                unheard.set(home.index, 0);
                home.node.replaceInbox();
            }
            places.lost(place);
            return;
        }
        if (sight.mayBeHeld(place.name()) || atHome.isReservation()) {
            return;
        }
        if (atHome.isAbsent()) {
            quorum.handOver(home, place.name());
        } else {
            // Left over from somebody who does not hold it any more, or never did.
            places.maybeFree(place);
        }
    }

    /** What one node says of one lock. */
    private record Vote(String owner, String token) {
        static Vote parse(String text) {
            String[] fields = text.split(" ", 4);
            return fields.length < 3 ? new Vote(NOBODY, RESERVED) : new Vote(fields[0], fields[2]);
        }

        boolean isAbsent() {
            return owner.equals(NOBODY);
        }

        boolean isReservation() {
            return !isAbsent() && token.equals(RESERVED);
        }
    }

    /** What all nodes say of some places. Filled by one thread, after all have answered. */
    private final class Sight {
        private final List<Place> some;
        private final Map<String, Vote[]> votes = new HashMap<>();
        private final Map<Place, Boolean> inLine = new HashMap<>();

        Sight(List<Place> some) {
            this.some = some;
        }

        /** In the order in which this node is asked: those that stand in line there come first. */
        List<Place> ofNode(Member member) {
            List<Place> ordered = new ArrayList<>(some.size());
            some.stream().filter(place -> place.home() == member).forEach(ordered::add);
            some.stream().filter(place -> place.home() != member).forEach(ordered::add);
            return ordered;
        }

        void add(Member member, QuorumReplies.Looked looked) {
            List<Place> ordered = ofNode(member);
            for (int i = 0; i < ordered.size(); i++) {
                Place place = ordered.get(i);
                votes.computeIfAbsent(place.name(), name -> new Vote[members.size()])[member.index] =
                        Vote.parse(looked.locks().get(i));
                if (place.home() == member) {
                    inLine.put(place, looked.inLine().get(i));
                }
            }
        }

        @Nullable
        Vote vote(Place place, Member member) {
            Vote[] all = votes.get(place.name());
            return all == null ? null : all[member.index];
        }

        boolean isInLine(Place place) {
            return inLine.getOrDefault(place, false);
        }

        /** Whether somebody has a majority, as far as can be told: nodes that did not answer may be the rest of it. */
        boolean mayBeHeld(String name) {
            Vote[] all = votes.getOrDefault(name, new Vote[0]);
            int silent = 0;
            Map<String, Integer> byOwner = new HashMap<>();
            for (Vote vote : all) {
                if (vote == null) {
                    silent++;
                } else if (!vote.token.equals(RESERVED)) {
                    byOwner.merge(vote.owner, 1, Integer::sum);
                }
            }
            int most =
                    byOwner.values().stream().mapToInt(Integer::intValue).max().orElse(0);
            return most > 0 && most + silent >= members.majority;
        }
    }
}
