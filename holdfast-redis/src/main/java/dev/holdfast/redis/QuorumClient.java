package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** What exists of a quorum backend once core has given it time and events. */
final class QuorumClient {
    final Quorum quorum;
    final QuorumClaims claims;
    final QuorumTenures tenures;
    final QuorumView view;
    final Admissions admissions;
    private final ClockWatch clockWatch;
    private final Environment environment;
    private final Events events;
    private final Places places;
    /** How many inboxes have been tried for the first time, well or not. */
    private final AtomicInteger tried = new AtomicInteger();

    private final CompletableFuture<Void> inboxes = new CompletableFuture<>();

    QuorumClient(
            List<? extends RedisNode> nodes,
            Keys keys,
            Duration timeout,
            Duration window,
            Duration maxLease,
            Environment environment,
            Events events) {
        this.environment = environment;
        this.events = events;
        String channel = keys.inbox(Owner.random(environment.random()).toString());
        this.places = new Places(environment, events, channel, window, nodes.size());
        List<Member> all = new ArrayList<>();
        for (RedisNode node : nodes) {
            all.add(new Member(all.size(), nodes.size(), node, environment, timeout, this::refused, this::stepped));
        }
        Members members = new Members(all, environment);
        this.quorum = new Quorum(members, environment, keys, timeout, window, maxLease, places);
        this.tenures = new QuorumTenures(quorum);
        this.claims = new QuorumClaims(quorum, tenures, inboxes);
        this.view = new QuorumView(quorum);
        this.admissions = new Admissions(quorum, events);
        this.clockWatch = new ClockWatch(members, environment, events, maxLease);
    }

    private void stepped(Member member, long micros) {
        clockWatch.stepped(member, micros);
    }

    void open() {
        places.start(quorum::look, (from, turn) -> quorum.withdraw(from, turn[1], Owner.parse(turn[0])));
        for (Member member : quorum.members.all) {
            member.node.open(environment, new Ears(member), places.channel());
        }
        var unused = quorum.announceMaxLease();
    }

    /** The first request on a new connection: brings the time, and whether the node votes. */
    private void greet(Member member) {
        barDoubles();
        var unused = quorum.raiseMaxLease(member);
    }

    /** Two addresses that lead to one server after all: it has one vote. */
    private void barDoubles() {
        List<String> seen = new ArrayList<>();
        for (Member member : quorum.members.all) {
            String runId = member.node.identity().runId();
            boolean twice = !runId.isEmpty() && seen.contains(runId);
            if (twice && member.barred().isEmpty()) {
                String why = member.address() + " leads to a server that has a vote already";
                events.disturbed(member.address(), why);
                member.bar(why);
            } else if (!twice && !member.barred().isEmpty()) {
                member.bar("");
            }
            seen.add(runId);
        }
    }

    private void refused(Member member) {
        places.recheck(member);
        admissions.watch(member);
    }

    private final class Ears implements RedisNode.Listener {
        private final Member member;
        private boolean firstDone;

        Ears(Member member) {
            this.member = member;
        }

        @Override
        public void reconnected() {
            greet(member);
            places.recheck(member);
        }

        @Override
        public void subscribed() {
            if (!noteTried()) {
                // Whatever was pushed while nobody listened is lost.
                places.recheck(member);
            }
        }

        @Override
        public void notSubscribed(Throwable why) {
            noteTried();
            events.disturbed(member.address(), String.valueOf(why.getMessage()));
        }

        /** Whether this was the first attempt. */
        private boolean noteTried() {
            if (firstDone) {
                return false;
            }
            firstDone = true;
            if (tried.incrementAndGet() == quorum.members.majority) {
                inboxes.complete(null);
            }
            return true;
        }

        @Override
        public void message(String text) {
            places.turn(member, text);
        }

        @Override
        public void disturbed(String what) {
            events.disturbed(member.address(), what);
        }
    }

    void close() {
        admissions.close();
        quorum.close();
        places.close();
    }
}
