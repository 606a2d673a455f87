package dev.holdfast.etcd;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One stream in both directions, to one member. What is sent from many threads leaves in one order; whoever comes while
 * another one sends leaves its message to that one. No lock is held while gRPC is called: gRPC calls us with its own held.
 *
 * <p>It ends once, and is not opened again.
 */
final class BidiStream<Q, A> {
    /** Without a leader a member can neither renew nor tell what has changed, so the stream is to end then. */
    private static final Metadata.Key<String> NEEDS_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);

    final Members.Member member;
    private final ClientCall<Q, A> call;
    private final Queue<Outgoing<Q>> toSend = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean ended;

    private record Outgoing<Q>(Q message, Runnable before) {}

    BidiStream(Members.Member member, MethodDescriptor<Q, A> method) {
        this.member = member;
        this.call = member.channel().newCall(method, CallOptions.DEFAULT.withExecutor(Runnable::run));
    }

    /** What comes back is told on threads of gRPC, one at a time; the end is told once, as the last. */
    void open(Metadata headers, Consumer<A> onMessage, Consumer<Status> onEnd) {
        headers.put(NEEDS_LEADER, "true");
        call.start(
                new ClientCall.Listener<A>() {
                    @Override
                    public void onMessage(A message) {
                        onMessage.accept(message);
                        call.request(1);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        ended = true;
                        onEnd.accept(status);
                    }
                },
                headers);
        call.request(1);
    }

    /** @param before is run in the order in which messages leave, before this one does; also if the stream has ended */
    void send(Q message, Runnable before) {
        toSend.add(new Outgoing<>(message, before));
        if (waiting.getAndIncrement() > 0) {
            return;
        }
        do {
            Outgoing<Q> next = toSend.poll();
            if (next != null) {
                next.before().run();
                try {
                    if (!ended) {
                        call.sendMessage(next.message());
                    }
                } catch (IllegalStateException cancelled) {
                    // Whoever waits for the answer is told with the end of the stream.
                }
            }
        } while (waiting.decrementAndGet() > 0);
    }

    boolean hasEnded() {
        return ended;
    }

    void cancel(String why) {
        call.cancel(why, null);
    }
}
