package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.etcd.rpc.KVGrpc;
import dev.holdfast.etcd.rpc.TxnRequest;
import dev.holdfast.etcd.rpc.TxnResponse;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.NotSentException;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Transactions on the queues of locks. Those that come while others are under way travel together, as parts of one: one request,
 * one entry in the log of the servers, one write to their disks. Alone, each is sent as it is, at once.
 *
 * <p>All comparisons of a transaction are made before anything in it is done, those of its parts too, and whatever it creates gets
 * the same revision. So no two parts are of the same queue.
 */
final class Transactions {
    /** One that the servers write to their disks, and one that they meanwhile read. */
    private static final int MOST_UNDER_WAY = 2;
    /** Servers allow 128 steps in a transaction, less what the largest part has. */
    private static final int MOST_PARTS = 32;

    private record Part(ByteString queue, TxnRequest request, long sinceNanos, CompletableFuture<TxnResponse> answer) {}

    private final Client client;
    private final long patienceNanos;
    private final Environment environment;
    /** Guards what follows. Held for as long as it takes to look into them; nothing is sent or completed under it. */
    private final ReentrantLock lock = new ReentrantLock();

    private final ArrayDeque<Part> waiting = new ArrayDeque<>();
    private int underWay;

    /** @param patience how long one may wait for those in front of it */
    Transactions(Client client, Duration patience, Environment environment) {
        this.client = client;
        this.patienceNanos = patience.toNanos();
        this.environment = environment;
    }

    /** @param queue whose keys it compares and changes */
    CompletableFuture<TxnResponse> ask(ByteString queue, TxnRequest request) {
        Part part = new Part(queue, request, environment.nanoTime(), new CompletableFuture<>());
        lock.lock();
        try {
            if (underWay == MOST_UNDER_WAY) {
                waiting.add(part);
                return part.answer;
            }
            underWay++;
        } finally {
            lock.unlock();
        }
        send(List.of(part));
        return part.answer;
    }

    private void send(List<Part> parts) {
        var unused = Futures.safely(() -> client.ask(KVGrpc.getTxnMethod(), asOne(parts)))
                .whenComplete((done, failure) -> {
                    sendNext();
                    if (failure == null) {
                        answer(parts, done);
                    } else if (parts.size() > 1 && isRefused(failure)) {
                        parts.forEach(this::sendAlone);
                    } else {
                        parts.forEach(part -> part.answer.completeExceptionally(failure));
                    }
                });
    }

    private static TxnRequest asOne(List<Part> parts) {
        return parts.size() == 1
                ? parts.get(0).request
                : Requests.together(parts.stream().map(Part::request).toList());
    }

    private static void answer(List<Part> parts, TxnResponse done) {
        if (parts.size() == 1) {
            parts.get(0).answer.complete(done);
            return;
        }
        for (int i = 0; i < parts.size(); i++) {
            TxnResponse.Builder part = done.getResponses(i).getResponseTxn().toBuilder();
            parts.get(i).answer.complete(part.setHeader(done.getHeader()).build());
        }
    }

    /**
     * The servers have looked at it and done nothing: because of one part, as a rule. A put on a lease that has ended is one, and
     * one that no longer fits on the disk, where a removal would.
     */
    private static boolean isRefused(Throwable failure) {
        Status.Code code = Status.fromThrowable(Failures.unwrap(failure)).getCode();
        return code == Status.Code.NOT_FOUND
                || code == Status.Code.INVALID_ARGUMENT
                || code == Status.Code.FAILED_PRECONDITION
                || code == Status.Code.PERMISSION_DENIED
                || code == Status.Code.RESOURCE_EXHAUSTED;
    }

    private void sendAlone(Part part) {
        var unused = Futures.safely(() -> client.ask(KVGrpc.getTxnMethod(), part.request))
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        part.answer.complete(done);
                    } else {
                        part.answer.completeExceptionally(failure);
                    }
                });
    }

    /** One is no longer under way: whoever waits goes in its place, as many as can travel together. */
    private void sendNext() {
        List<Part> next = new ArrayList<>();
        List<Part> tooLate = new ArrayList<>();
        lock.lock();
        try {
            long now = environment.nanoTime();
            Set<ByteString> queues = new HashSet<>();
            for (Iterator<Part> each = waiting.iterator(); each.hasNext() && next.size() < MOST_PARTS; ) {
                Part part = each.next();
                if (now - part.sinceNanos > patienceNanos) {
                    each.remove();
                    tooLate.add(part);
                } else if (queues.add(part.queue)) {
                    each.remove();
                    next.add(part);
                }
            }
            if (next.isEmpty()) {
                underWay--;
            }
        } finally {
            lock.unlock();
        }
        if (!next.isEmpty()) {
            send(next);
        }
        tooLate.forEach(part -> part.answer.completeExceptionally(
                new NotSentException("etcd has not answered those that were asked before this one", null)));
    }
}
