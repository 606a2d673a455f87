package dev.holdfast.redis.quorum;

import dev.holdfast.redis.node.MemoryPolicy;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.ServerClock;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** One node of a quorum, as this client sees it. */
final class Member {
    /** One lost answer is no reason to wait elsewhere. */
    private static final int SILENCE = 2;

    /** Before it has answered for the first time. */
    private static final long LONG_AGO_NANOS = Duration.ofDays(1).toNanos();

    final int index;
    final RedisNode node;
    final ServerClock clock = new ServerClock();
    private final ServerList list;
    private final Environment environment;
    private final Duration timeout;
    private final Consumer<Member> refusals;
    private final ObjLongConsumer<Member> steps;
    /** Failures in a row. */
    private final AtomicInteger failures = new AtomicInteger();
    /** When it answered last; racy, and benign: two answers of the same moment are equally recent. */
    private volatile long answeredNanos;

    private record Memory(RedisNode.Identity server, String text) {}

    private volatile @Nullable Memory memory;
    /** Why its votes do not count although it would give them; empty if they do. */
    private volatile String barred = "";
    /** Why we do not ask for its vote for a while, although it gives votes; empty if we do. */
    private volatile String notAskedBecause = "";
    /** How the list that it belongs to differs from ours, as of its last refusal; empty if that was for another reason. */
    private volatile String boundElsewhere = "";
    /** Under which this node reaches us now, or did last; empty before the first time. */
    private volatile String channel = "";
    /** Whether it was told that this node may forget. */
    private volatile boolean toldForgetful;

    /**
     * A node of a quorum.
     *
     * @param list all servers of the quorum, as this client names them
     * @param refusals told each time the node says that it does not vote
     * @param steps told when its clock has stepped, and by how many microseconds
     */
    Member(
            int index,
            ServerList list,
            RedisNode node,
            Environment environment,
            Duration timeout,
            Consumer<Member> refusals,
            ObjLongConsumer<Member> steps) {
        this.index = index;
        this.list = list;
        this.node = node;
        this.environment = environment;
        this.timeout = timeout;
        this.refusals = refusals;
        this.steps = steps;
        this.answeredNanos = environment.nanoTime() - LONG_AGO_NANOS;
    }

    String address() {
        return node.address();
    }

    /** Whether claims may be sent here to wait: it answers and votes, as far as we know, and we ask for its vote. */
    boolean isHealthy() {
        return failures.get() < SILENCE && barred.isEmpty() && notAskedBecause.isEmpty() && !mayForget();
    }

    /** Whether it has answered within this time. */
    boolean hasAnsweredWithin(long nanos) {
        return environment.nanoTime() - answeredNanos < nanos;
    }

    void subscribed(String channel) {
        this.channel = channel;
    }

    String channel() {
        return channel;
    }

    void bar(String why) {
        barred = why;
    }

    void stopAsking(String why) {
        notAskedBecause = why;
    }

    String whyNotAsked() {
        return notAskedBecause;
    }

    String barred() {
        return barred;
    }

    /** Whether this is the record of a node that is watched under our list, in the memory that it has now. */
    boolean isWatched(AdmissionRecord record) {
        return !record.isAdmitted()
                && record.list().equals(list.digest())
                && record.memory().equals(node.identity().memory());
    }

    String boundElsewhere() {
        return boundElsewhere;
    }

    /** Whether it may remove a lock that is held, as of the last time it was asked: then its vote is worth nothing. */
    boolean mayForget() {
        return node.memory().mayEvict();
    }

    String whyItMayForget() {
        return "Redis at " + address() + " does not vote: when its memory is full it removes keys (maxmemory-policy "
                + node.memory().policy() + "), held locks among them. " + MemoryPolicy.REMEDY
                + " It votes again by itself, after the longest lease";
    }

    // ---- requests

    /**
     * Runs a script of the quorum on the server that the connection leads to, and nowhere else. A node that does not vote
     * fails with {@link Unadmitted}.
     *
     * @param arguments the first is filled in here
     */
    CompletionStage<List<Object>> call(Script script, String[] keys, String... arguments) {
        if (!barred.isEmpty()) {
            return CompletableFuture.failedStage(new NotSentException(barred, null));
        }
        if (mayForget()) {
            return forgetful();
        }
        if (toldForgetful) {
            toldForgetful = false;
        }
        return callAnyway(script, keys, arguments).thenApply(reply -> {
            if (QuorumReplies.code(reply) == QuorumReplies.UNADMITTED) {
                failures.set(SILENCE);
                throw refusal(QuorumReplies.refusedWith(reply));
            }
            return reply;
        });
    }

    /** As if it had refused; told once, because nothing was sent that would take time. */
    private CompletionStage<List<Object>> forgetful() {
        failures.set(SILENCE);
        // Racy, and benign: it may be told twice.
        if (!toldForgetful) {
            toldForgetful = true;
            refusals.accept(this);
        }
        return CompletableFuture.failedStage(new NotSentException(whyItMayForget(), null));
    }

    private RuntimeException refusal(String text) {
        AdmissionRecord record = AdmissionRecord.parse(text);
        String elsewhere =
                record == null || record.list().equals(list.digest()) ? "" : list.difference(record.servers());
        boundElsewhere = elsewhere;
        refusals.accept(this);
        return elsewhere.isEmpty() ? new Unadmitted(address(), text) : new RefusedException(elsewhere);
    }

    /** As {@link #call}, whether it votes or not. */
    CompletionStage<List<Object>> callAnyway(Script script, String[] keys, String... arguments) {
        RedisNode.Identity server = node.identity();
        if (server.runId().isEmpty()) {
            failures.set(SILENCE);
            return node.identify().thenCompose(this::nameless);
        }
        arguments[0] = memoryText(server);
        long sent = environment.nanoTime();
        return node.evalAt(server, script, keys, arguments).whenComplete((reply, failure) -> {
            if (failure == null) {
                answeredNanos = environment.nanoTime();
                failures.set(0);
                // A reply of one number has no time.
                if (reply.size() > 1) {
                    sample(server, sent, QuorumReplies.nowMicros(reply));
                }
            } else if (isProof(unwrap(failure))) {
                failures.set(SILENCE);
                // Read-only, loading: it may have become another server's replica, and come back with other data.
                var unused = node.identify();
            } else {
                failures.incrementAndGet();
            }
        });
    }

    private void sample(RedisNode.Identity server, long sentNanos, long micros) {
        long step = clock.sample(server.runId(), sentNanos, environment.nanoTime(), micros);
        if (step != 0) {
            steps.accept(this, step);
        }
    }

    /** The same for every request over one connection. */
    private String memoryText(RedisNode.Identity server) {
        Memory known = memory;
        if (known == null || !known.server.equals(server)) {
            known = new Memory(server, AdmissionRecord.admitted(list, server));
            memory = known;
        }
        return known.text;
    }

    /** There is no connection yet, and then that is the failure; or there is one, and we may not ask who it leads to. */
    private CompletionStage<List<Object>> nameless(RedisNode.Identity server) {
        return CompletableFuture.failedStage(
                server.runId().isEmpty()
                        ? new RefusedException("Redis at " + address()
                                + " does not say which server it is: a quorum needs +info, to notice restarts")
                        : new NotSentException("The connection to Redis at " + address() + " is new", null));
    }

    /** When a request that is sent now must not be carried out any more, by the server's clock. */
    String notAfter(long nowNanos) {
        return Long.toString(clock.notAfterMicros(node.identity().runId(), nowNanos, timeout));
    }

    // ---- failures

    static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Whether this failure proves that the node did nothing. */
    static boolean isProof(@Nullable Throwable failure) {
        return failure instanceof NotSentException
                || failure instanceof RefusedException
                || failure instanceof Unadmitted;
    }
}
