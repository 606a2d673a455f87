package dev.holdfast.redis.quorum;

import dev.holdfast.BackendNotice;
import dev.holdfast.Finding;
import dev.holdfast.LockState;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What exists of a quorum backend once core has given it time and events. */
public final class QuorumClient {
    final Quorum quorum;
    final QuorumClaims claims;
    final QuorumTenures tenures;
    private final QuorumView view;
    private final Admissions admissions;
    private final MemoryWatch memoryWatch;
    private final ClockWatch clockWatch;
    private final Environment environment;
    private final Events events;
    private final Keys keys;
    private final Places places;
    private final PlaceCheck looks;
    /** How many inboxes have been tried for the first time, successful or not. */
    private final AtomicInteger tried = new AtomicInteger();

    private final CompletableFuture<Void> inboxes = new CompletableFuture<>();
    /** For how long a lock was kept, as far as that was told. */
    private final AtomicLong longestToldMillis = new AtomicLong();

    public QuorumClient(
            List<? extends RedisNode> nodes,
            ServerList list,
            Keys keys,
            Duration timeout,
            Duration window,
            Duration maxLease,
            Environment environment,
            Events events) {
        this.environment = environment;
        this.events = events;
        this.keys = keys;
        this.places = new Places(events);
        List<Member> all = new ArrayList<>();
        for (RedisNode node : nodes) {
            all.add(new Member(all.size(), list, node, environment, timeout, this::refused, this::stepped));
        }
        Members members = new Members(all, list, environment);
        this.quorum = new Quorum(members, environment, keys, timeout, window, maxLease, places);
        this.tenures = new QuorumTenures(quorum);
        this.claims = new QuorumClaims(quorum, tenures, inboxes);
        this.looks = new PlaceCheck(quorum);
        this.view = new QuorumView(quorum, events);
        this.admissions = new Admissions(quorum, events);
        this.memoryWatch = new MemoryWatch(quorum, events);
        this.clockWatch = new ClockWatch(members, environment, events, maxLease);
    }

    private void stepped(Member member, long micros) {
        clockWatch.stepped(member, micros);
    }

    public void open() {
        places.start(new Waiting());
        for (Member member : quorum.members.all) {
            member.node.open(environment, new NodeListener(member), this::channel);
        }
        quorum.members.all.forEach(memoryWatch::compare);
        var unused = quorum.maxLeaseRecord.announce();
    }

    /**
     * Made anew with every subscription, from random numbers and from what the node gave its connection: of two copies of
     * one memory neither hears the turns of the other, and takes it out of the line.
     */
    private String channel(long mark) {
        return keys.inbox(Owner.random(environment.random(), mark).toString());
    }

    /** The first request on a new connection: brings the time, and whether the node votes. */
    private void greet(Member member) {
        barDoubles();
        memoryWatch.compare(member);
        var unused = quorum.maxLeaseRecord.raise(member);
    }

    /** Two addresses that lead to one server after all: it has one vote. */
    private void barDoubles() {
        List<String> seen = new ArrayList<>();
        for (Member member : quorum.members.all) {
            String runId = member.node.identity().runId();
            boolean twice = !runId.isEmpty() && seen.contains(runId);
            if (twice && member.barred().isEmpty()) {
                String why = member.address() + " leads to a server that has a vote already";
                events.notice(BackendNotice.warning(member.address(), why));
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

    /** What a place is good for. */
    private final class Waiting implements Places.Claims {
        @Override
        public boolean isAsked(Owner owner) {
            return claims.isAsked(owner);
        }

        @Override
        public boolean isInUse(Owner owner) {
            return claims.isInUse(owner);
        }

        @Override
        public void decline(Places.Turn turn, Owner owner) {
            var unused = quorum.leaveQueue(turn.from(), turn.name(), owner, false);
        }

        @Override
        public void startLooking() {
            looks.start();
        }
    }

    private final class NodeListener implements RedisNode.Listener {
        private final Member member;
        private boolean firstDone;

        NodeListener(Member member) {
            this.member = member;
        }

        @Override
        public void reconnected() {
            greet(member);
            quorum.reconnected(member);
            places.recheck(member);
        }

        @Override
        public void subscribed(String channel) {
            member.subscribed(channel);
            if (!noteTried()) {
                // Whatever was pushed while nobody listened is lost, and entries in queues name the channel before
                // this.
                places.recheck(member);
            }
        }

        @Override
        public void notSubscribed(Throwable why) {
            noteTried();
            events.notice(BackendNotice.warning(member.address(), Failures.describe(why)));
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
            looks.heard(member);
            places.turn(member, text);
        }

        @Override
        public void notConnected(Throwable why) {
            events.notice(BackendNotice.warning(member.address(), Failures.describe(why)));
        }
    }

    // ---- what core asks of a backend

    public CompletionStage<Answer> tryAcquire(Claim claim) {
        memoryWatch.used();
        return claims.claim(claim);
    }

    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        memoryWatch.used();
        return tenures.renew(holdings);
    }

    public CompletionStage<Boolean> release(Holding holding) {
        claims.forget(holding.owner());
        return tenures.release(holding);
    }

    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        claims.noLongerWaits(holding.owner());
        tellOfLongKeep(keep);
        return tenures.releaseLater(holding, keep);
    }

    /** It has a price that nobody expects of a lock: said once for each length. */
    private void tellOfLongKeep(Duration keep) {
        if (keep.compareTo(quorum.maxLease) <= 0) {
            return;
        }
        long longest = quorum.maxLeaseRecord.longestWith(keep.toMillis());
        if (longest > longestToldMillis.getAndAccumulate(longest, Math::max)) {
            events.notice(BackendNotice.warning(
                    "quorum",
                    "A lock is kept for longer than maxLease (" + quorum.maxLease.toMillis()
                            + " ms): from now on a server that restarts does not vote for " + longest + " ms"));
        }
    }

    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        claims.forget(owner);
        return tenures.withdraw(key, owner, slots);
    }

    public CompletionStage<List<LockState>> describe(String key) {
        return view.describe(key);
    }

    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return view.list(prefix, limit);
    }

    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return view.breakLock(SlotNames.of(key, slot), owner);
    }

    public CompletionStage<List<Finding>> diagnose() {
        return QuorumDiagnosis.of(quorum, admissions);
    }

    /** How often this client has asked all nodes: against its acquisitions, how often rivals split the vote. */
    public long attempts() {
        return quorum.attempts();
    }

    public void close() {
        admissions.close();
        memoryWatch.close();
        quorum.close();
        looks.close();
        places.clear();
    }
}
