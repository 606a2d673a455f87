package dev.holdfast.redis;

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
    /** Codes with which the reply to a quorum script begins. */
    static final int UNADMITTED = -3;

    static final int TOO_LONG = -2;
    static final int LATE = -1;
    static final int BUSY = 0;
    static final int GRANTED = 1;

    /** One lost answer is no reason to wait elsewhere. */
    private static final int SILENCE = 2;

    final int index;
    final RedisNode node;
    final ServerClock clock = new ServerClock();
    private final int nodes;
    private final Environment environment;
    private final Duration timeout;
    private final Consumer<Member> refusals;
    private final ObjLongConsumer<Member> steps;
    /** Failures in a row. */
    private final AtomicInteger failures = new AtomicInteger();

    private record Memory(RedisNode.Identity server, String text) {}

    private volatile @Nullable Memory memory;
    /** As far as it has told us. */
    private volatile boolean voting = true;
    /** Why its votes do not count although it would give them; empty if they do. */
    private volatile String barred = "";
    /** Why we do not ask for its vote for a while, although it gives votes; empty if we do. */
    private volatile String sitsOut = "";

    /**
     * A node of so many.
     *
     * @param refusals told each time the node says that it does not vote
     * @param steps told when its clock has stepped, and by how many microseconds
     */
    Member(
            int index,
            int nodes,
            RedisNode node,
            Environment environment,
            Duration timeout,
            Consumer<Member> refusals,
            ObjLongConsumer<Member> steps) {
        this.index = index;
        this.nodes = nodes;
        this.node = node;
        this.environment = environment;
        this.timeout = timeout;
        this.refusals = refusals;
        this.steps = steps;
    }

    String address() {
        return node.address();
    }

    /** Whether claims may be sent here to wait: it answers, and it votes. */
    boolean isWell() {
        return voting && failures.get() < SILENCE && barred.isEmpty() && sitsOut.isEmpty();
    }

    void bar(String why) {
        barred = why;
    }

    void sitOut(String why) {
        sitsOut = why;
    }

    String sitsOut() {
        return sitsOut;
    }

    String barred() {
        return barred;
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
        return callAnyway(script, keys, arguments).thenApply(reply -> {
            if (number(reply, 0) == UNADMITTED) {
                failures.set(SILENCE);
                refusals.accept(this);
                throw new Unadmitted(address(), text(reply, 2));
            }
            return reply;
        });
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
                failures.set(0);
                // A reply of one number has no time.
                if (reply.size() > 1) {
                    sample(server, sent, number(reply, 1));
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
            known = new Memory(server, Wire.admitted(nodes, server));
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

    // ---- replies

    static long number(List<Object> reply, int index) {
        return Claims.number(reply, index);
    }

    static String text(List<Object> reply, int index) {
        return String.valueOf(reply.get(index));
    }

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
