package dev.holdfast.redis;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
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
        volatile String obstacle = "it is being watched";

        Watch(long nowNanos) {
            sinceNanos = nowNanos;
            reportedNanos = nowNanos;
        }

        long observedMillis(long nowNanos) {
            return nonce.isEmpty() ? 0 : foundMillis + (nowNanos - fromNanos) / 1_000_000;
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
            events.disturbed(
                    member.address(),
                    "it is new, has restarted or was emptied: it does not vote for at least "
                            + quorum.maxLease.toMillis() + " ms, until every lease it may have granted is over");
        }
        tickAfter(0);
    }

    /** How it stands with a node that does not vote; null if it does, as far as we know. */
    @Nullable
    String progress(Member member) {
        Watch watch = watches.get(member);
        if (watch == null) {
            return null;
        }
        long needed = Readmission.watchMillis(maxLeaseMillis.get());
        return watch.confirmedMillis + " of " + needed + " ms are over; " + watch.obstacle;
    }

    // ---- the watch

    private void tickAfter(long delayNanos) {
        if (!closed && ticking.compareAndSet(false, true)) {
            environment.schedule(delayNanos, this::tick);
        }
    }

    private void tick() {
        List<CompletableFuture<?>> observed = new ArrayList<>();
        watches.forEach((member, watch) -> observed.add(observe(member, watch).toCompletableFuture()));
        var unused = CompletableFuture.allOf(observed.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> readmit())
                .whenComplete((done, failure) -> {
                    ticking.set(false);
                    if (!watches.isEmpty()) {
                        tickAfter(tickNanos);
                    }
                });
    }

    private CompletionStage<?> observe(Member member, Watch watch) {
        return member.node
                .identify()
                .thenCompose(
                        server -> quorum.observe(member, watch.nonce, watch.observedMillis(environment.nanoTime())))
                .handle((reply, failure) -> {
                    if (failure != null) {
                        watch.obstacle = String.valueOf(Member.unwrap(failure).getMessage());
                    } else if (Member.number(reply, 0) == Member.GRANTED) {
                        votesAgain(member, watch);
                    } else {
                        note(member, watch, reply);
                    }
                    return member;
                });
    }

    private void note(Member member, Watch watch, List<Object> reply) {
        String nonce = Member.text(reply, 2);
        long observed = Member.number(reply, 3);
        long now = environment.nanoTime();
        if (!nonce.equals(watch.nonce)) {
            watch.nonce = nonce;
            watch.foundMillis = observed;
            watch.fromNanos = now;
        }
        watch.confirmedMillis = observed;
        maxLeaseMillis.accumulateAndGet(Member.number(reply, 4), Math::max);
        if (now - watch.reportedNanos >= REPORT_NANOS) {
            watch.reportedNanos = now;
            events.disturbed(member.address(), "it does not vote yet: " + progress(member));
        }
    }

    private void votesAgain(Member member, Watch watch) {
        if (watches.remove(member, watch)) {
            long millis = (environment.nanoTime() - watch.sinceNanos) / 1_000_000;
            events.disturbed(member.address(), "it votes again, after " + millis + " ms");
            // Sees that it votes, and tells it how long our leases may be.
            var unused = quorum.raiseMaxLease(member);
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
                    return act(Readmission.decide(quorum.members.size(), watched, waitedFor, reports), waitedFor);
                });
    }

    private CompletionStage<Readmission.@Nullable Report> report(Member member) {
        return quorum.ledger(member).handle((reply, failure) -> failure == null ? parse(member, reply) : null);
    }

    /** A node that neither votes nor is watched with a nonce has not answered, for this purpose. */
    private static Readmission.@Nullable Report parse(Member member, List<Object> reply) {
        String[] record = Member.text(reply, 2).split(" ", -1);
        boolean admitted = Member.number(reply, 0) == Member.GRANTED;
        if (record.length < (admitted ? 3 : 5)) {
            return null;
        }
        List<Long> counters = new ArrayList<>();
        for (Object value : (List<?>) reply.get(3)) {
            counters.add(value == null ? 0 : Long.parseLong(value.toString()));
        }
        return new Readmission.Report(
                member.index,
                admitted ? null : record[3],
                admitted ? 0 : Long.parseLong(record[4]),
                Long.parseLong(record[2]),
                Member.number(reply, 1),
                counters);
    }

    private CompletionStage<?> act(Readmission.Decision decision, long waitedFor) {
        if (decision instanceof Readmission.Decision.WaitFor longer) {
            maxLeaseMillis.accumulateAndGet(longer.maxLeaseMillis(), Math::max);
            return CompletableFuture.completedStage(null);
        }
        if (decision instanceof Readmission.Decision.Wait wait) {
            watches.values().forEach(watch -> watch.obstacle = wait.why());
            return CompletableFuture.completedStage(null);
        }
        Readmission.Decision.Admit admit = (Readmission.Decision.Admit) decision;
        if (admit.byClocks()) {
            events.disturbed(
                    "quorum",
                    "too few nodes remember the tokens: they go on from the clocks of the nodes. No lease is affected");
        }
        return CompletableFuture.allOf(admit.nodes().stream()
                .map(each -> admit(each, waitedFor, admit.seeds()).toCompletableFuture())
                .toArray(CompletableFuture<?>[]::new));
    }

    private CompletionStage<?> admit(Readmission.Report report, long waitedFor, List<Long> seeds) {
        Member member = quorum.members.all.get(report.node());
        String nonce = Objects.requireNonNull(report.nonce(), "it votes");
        return quorum.admit(member, nonce, waitedFor, Readmission.watchMillis(waitedFor), seeds)
                .handle((reply, failure) -> {
                    Watch watch = watches.get(member);
                    if (failure == null && Member.number(reply, 0) == Member.GRANTED && watch != null) {
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
