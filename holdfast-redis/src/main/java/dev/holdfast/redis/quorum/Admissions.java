package dev.holdfast.redis.quorum;

import dev.holdfast.BackendNotice;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Watches nodes that do not vote, and lets them vote again when that is safe: without an operator, and by whichever client
 * is there. What each client has watched is kept at the node, so short-lived ones contribute, too.
 */
final class Admissions {
    private static final long SLOWEST_TICK_NANOS = 1_000_000_000;
    private static final long FASTEST_TICK_NANOS = 20_000_000;
    private static final long REPORT_NANOS = 10_000_000_000L;
    /** What stands in the way is said again this often, unless it changes. */
    private static final long REPEAT_NANOS = 60_000_000_000L;

    private static final String WATCHED = "it is being watched";

    /** A node under watch, as of our first contact with the state that the nonce names. */
    private static final class Watch {
        final long sinceNanos;
        volatile String nonce = "";
        /** What others had watched before us. */
        volatile long foundMillis;
        /** From the answer to our first contact: counted from the question, a slow answer would count as watching. */
        volatile long fromNanos;
        /** What the node has confirmed. */
        volatile long confirmedMillis;

        volatile long reportedNanos;
        volatile String reported = WATCHED;
        /** Why it is not admitted yet, as of the last look. */
        volatile String obstacle = WATCHED;

        Watch(long nowNanos) {
            sinceNanos = nowNanos;
            reportedNanos = nowNanos;
        }

        long observedMillis(long nowNanos) {
            return nonce.isEmpty() ? 0 : foundMillis + (nowNanos - fromNanos) / 1_000_000;
        }

        /** What was watched so far does not count. */
        void beginAnew() {
            nonce = "";
            confirmedMillis = 0;
        }
    }

    private final Quorum quorum;
    private final Environment environment;
    private final Events events;
    private final Map<Member, Watch> watches = new ConcurrentHashMap<>();
    private final AtomicBoolean ticking = new AtomicBoolean();
    /** The longest lease that any node has told of. */
    private final AtomicLong maxLeaseMillis;

    private final long tickNanos;
    private volatile boolean closed;

    Admissions(Quorum quorum, Events events) {
        this.quorum = quorum;
        this.environment = quorum.environment;
        this.events = events;
        this.maxLeaseMillis = new AtomicLong(quorum.maxLease.toMillis());
        this.tickNanos = Math.max(FASTEST_TICK_NANOS, Math.min(SLOWEST_TICK_NANOS, quorum.maxLease.toNanos() / 20));
    }

    /** This node has just said that it does not vote. */
    void watch(Member member) {
        Watch fresh = new Watch(environment.nanoTime());
        if (watches.putIfAbsent(member, fresh) == null) {
            events.notice(BackendNotice.warning(member.address(), firstReport(member)));
        }
        tickAfter(0);
    }

    private String firstReport(Member member) {
        if (member.mayForget()) {
            return member.whyItMayForget();
        }
        return member.boundElsewhere().isEmpty()
                ? "it is new, has restarted or was emptied: it does not vote for at least " + quorum.maxLease.toMillis()
                        + " ms, until every lease it may have granted is over"
                : member.boundElsewhere();
    }

    /** How it stands with a node that does not vote; null if it does, as far as we know. */
    @Nullable
    String progress(Member member) {
        Watch watch = watches.get(member);
        if (watch == null) {
            return null;
        }
        return watch.confirmedMillis + " of " + neededMillis() + " ms are over; " + watch.obstacle;
    }

    /** How long a node has to be watched. */
    long neededMillis() {
        return Readmission.watchMillis(maxLeaseMillis.get());
    }

    /** For how long this node has to be watched yet; zero if it votes, as far as we know, or could. */
    long leftMillis(Member member) {
        Watch watch = watches.get(member);
        return watch == null ? 0 : Math.max(0, neededMillis() - watch.confirmedMillis);
    }

    // ---- the watch

    private void tickAfter(long delayNanos) {
        if (!closed && ticking.compareAndSet(false, true)) {
            environment.schedule(delayNanos, this::tick);
        }
    }

    private void tick() {
        var unused = sightings()
                .thenCompose(this::observe)
                .thenCompose(done -> readmit())
                .whenComplete((done, failure) -> {
                    report(failure);
                    ticking.set(false);
                    if (!watches.isEmpty()) {
                        tickAfter(tickNanos);
                    }
                });
    }

    /** Of all nodes: whether one of them may be bound to our list depends on the others. */
    private CompletionStage<List<ListBinding.Sighting>> sightings() {
        List<CompletableFuture<ListBinding.Sighting>> asked = quorum.members.all.stream()
                .map(member -> sighting(member).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> asked.stream().map(CompletableFuture::join).toList());
    }

    private CompletionStage<ListBinding.Sighting> sighting(Member member) {
        return (watches.containsKey(member)
                        ? member.node.identify()
                        : CompletableFuture.completedStage(member.node.identity()))
                .thenCompose(server -> quorum.admission.sight(member))
                .handle((sight, failure) -> failure == null
                        ? ListBinding.Sighting.of(quorum.members.list, sight.votes(), sight.record())
                        : ListBinding.Sighting.silent(Member.unwrap(failure)));
    }

    private CompletionStage<?> observe(List<ListBinding.Sighting> sightings) {
        ListBinding belonging = new ListBinding(quorum.members.list, sightings);
        List<CompletableFuture<?>> observed = new ArrayList<>();
        watches.forEach((member, watch) -> {
            if (member.mayForget()) {
                watch.beginAnew();
                watch.obstacle = member.whyItMayForget();
                observed.add(quorum.admission
                        .suspend(member)
                        .handle((reply, failure) -> member)
                        .toCompletableFuture());
                return;
            }
            String obstacle = belonging.obstacle(member.index);
            watch.obstacle = obstacle == null ? WATCHED : obstacle;
            if (obstacle == null) {
                observed.add(observe(member, watch, belonging.versionFor(member.index))
                        .toCompletableFuture());
            }
        });
        return CompletableFuture.allOf(observed.toArray(CompletableFuture<?>[]::new));
    }

    private CompletionStage<?> observe(Member member, Watch watch, long version) {
        return quorum.admission
                .observe(member, watch.nonce, watch.observedMillis(environment.nanoTime()), version)
                .handle((observed, failure) -> {
                    if (failure != null) {
                        watch.obstacle = Failures.describe(failure);
                    } else if (observed instanceof QuorumReplies.Observed.Votes) {
                        votesAgain(member, watch);
                    } else if (observed instanceof QuorumReplies.Observed.Pending pending) {
                        note(watch, pending);
                    }
                    return member;
                });
    }

    private void note(Watch watch, QuorumReplies.Observed.Pending pending) {
        if (!pending.nonce().equals(watch.nonce)) {
            watch.nonce = pending.nonce();
            watch.foundMillis = pending.observedMillis();
            watch.fromNanos = environment.nanoTime();
        }
        watch.confirmedMillis = pending.observedMillis();
        maxLeaseMillis.accumulateAndGet(pending.maxLeaseMillis(), Math::max);
    }

    /** What stands in the way now: not what stood there once. */
    private void report(@Nullable Throwable failure) {
        long now = environment.nanoTime();
        watches.forEach((member, watch) -> {
            if (failure != null) {
                watch.obstacle = Failures.describe(failure);
            }
            boolean isNews = !watch.obstacle.equals(watch.reported) || watch.obstacle.equals(WATCHED);
            if (now - watch.reportedNanos >= (isNews ? REPORT_NANOS : REPEAT_NANOS)) {
                watch.reportedNanos = now;
                watch.reported = watch.obstacle;
                events.notice(BackendNotice.warning(member.address(), "it does not vote yet: " + progress(member)));
            }
        });
    }

    private void votesAgain(Member member, Watch watch) {
        if (watches.remove(member, watch)) {
            long millis = (environment.nanoTime() - watch.sinceNanos) / 1_000_000;
            events.notice(BackendNotice.note(member.address(), "it votes again, after " + millis + " ms"));
            // Sees that it votes, and tells it how long our leases may be.
            var unused = quorum.maxLeaseRecord.raise(member);
        }
    }

    // ---- the end of the watch

    /** Nothing is read before the wait is over: what is read earlier may be overtaken by a lease that still counts. */
    private CompletionStage<?> readmit() {
        long waitedFor = maxLeaseMillis.get();
        long needed = Readmission.watchMillis(waitedFor);
        Set<Integer> watched = watches.entrySet().stream()
                .filter(each -> each.getValue().confirmedMillis >= needed)
                .map(each -> each.getKey().index)
                .collect(Collectors.toSet());
        if (watched.isEmpty()) {
            return CompletableFuture.completedStage(null);
        }
        List<CompletableFuture<Readmission.@Nullable Report>> asked = quorum.members.all.stream()
                .map(member -> report(member).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    List<Readmission.Report> reports = asked.stream()
                            .map(CompletableFuture::join)
                            .filter(Objects::nonNull)
                            .map(Objects::requireNonNull)
                            .toList();
                    return act(
                            Readmission.decide(quorum.members.size(), watched, waitedFor, reports), watched, waitedFor);
                });
    }

    private CompletionStage<Readmission.@Nullable Report> report(Member member) {
        return quorum.admission
                .ledger(member)
                .handle((ledger, failure) ->
                        failure == null ? Readmission.Report.parse(member, quorum.keys.ledger(), ledger) : null);
    }

    private CompletionStage<?> act(Readmission.Decision decision, Set<Integer> watched, long waitedFor) {
        if (decision instanceof Readmission.Decision.WaitFor longer) {
            maxLeaseMillis.accumulateAndGet(longer.maxLeaseMillis(), Math::max);
            return CompletableFuture.completedStage(null);
        }
        if (decision instanceof Readmission.Decision.Wait wait) {
            watches.forEach((member, watch) -> {
                if (watched.contains(member.index)) {
                    watch.obstacle = wait.why();
                }
            });
            return CompletableFuture.completedStage(null);
        }
        Readmission.Decision.Admit admit = (Readmission.Decision.Admit) decision;
        if (admit.byClocks()) {
            events.notice(
                    BackendNotice.warning(
                            "quorum",
                            "too few nodes remember the tokens: they go on from the clocks of the nodes. No lease is affected"));
        }
        return CompletableFuture.allOf(admit.nodes().stream()
                .map(each -> admit(each, waitedFor, admit).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    private CompletionStage<?> admit(Readmission.Report report, long waitedFor, Readmission.Decision.Admit decision) {
        Member member = quorum.members.all.get(report.node());
        String nonce = Objects.requireNonNull(report.nonce(), "it votes");
        return quorum.admission
                .admit(
                        member,
                        nonce,
                        waitedFor,
                        Readmission.watchMillis(waitedFor),
                        decision.version(),
                        decision.seeds())
                .handle((admitted, failure) -> {
                    Watch watch = watches.get(member);
                    if (watch == null) {
                        return member;
                    }
                    if (failure != null) {
                        watch.obstacle = Failures.describe(failure);
                    } else if (admitted) {
                        votesAgain(member, watch);
                    }
                    return member;
                });
    }

    void close() {
        closed = true;
        watches.clear();
    }
}
