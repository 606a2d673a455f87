package dev.holdfast.etcd;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall;
import io.grpc.ForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/** Carries everything that is sent, and holds the answer to one request back until it is told to deliver it. Can lose one, too. */
final class HeldBack implements ClientInterceptor {
    /** All that was sent. */
    final Queue<Object> sent = new ConcurrentLinkedQueue<>();

    private final AtomicReference<Predicate<Object>> wanted = new AtomicReference<>();
    private final AtomicReference<Predicate<Object>> unwanted = new AtomicReference<>();
    private volatile CompletableFuture<Late> held = new CompletableFuture<>();

    private record Late(Runnable deliver, Runnable lose) {}

    /** The next request of this kind. */
    void holdBack(Predicate<Object> request) {
        held = new CompletableFuture<>();
        wanted.set(request);
    }

    /** The next request of this kind fails, and does not arrive. */
    void lose(Predicate<Object> request) {
        unwanted.set(request);
    }

    boolean hasLost() {
        return unwanted.get() == null;
    }

    /** What delivers the answer, as soon as that is there. */
    Runnable answer() throws Exception {
        return held.get(60, TimeUnit.SECONDS).deliver;
    }

    /** Waits until the request was carried out; nobody learns of it. */
    void loseAnswer() throws Exception {
        held.get(60, TimeUnit.SECONDS).lose.run();
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel channel) {
        return new ForwardingClientCall.SimpleForwardingClientCall<>(channel.newCall(method, options)) {
            private volatile boolean late;
            private volatile boolean lost;
            private volatile A said;

            @Override
            public void start(Listener<A> listener, Metadata headers) {
                super.start(
                        new ForwardingClientCallListener.SimpleForwardingClientCallListener<>(listener) {
                            @Override
                            public void onMessage(A message) {
                                if (late) {
                                    said = message;
                                } else {
                                    super.onMessage(message);
                                }
                            }

                            @Override
                            public void onClose(Status status, Metadata trailers) {
                                if (!late) {
                                    super.onClose(status, trailers);
                                    return;
                                }
                                Runnable deliver = () -> {
                                    if (said != null) {
                                        super.onMessage(said);
                                    }
                                    super.onClose(status, trailers);
                                };
                                held.complete(
                                        new Late(deliver, () -> super.onClose(Status.UNAVAILABLE, new Metadata())));
                            }
                        },
                        headers);
            }

            @Override
            public void sendMessage(Q message) {
                Predicate<Object> losing = unwanted.get();
                lost = losing != null && losing.test(message) && unwanted.compareAndSet(losing, null);
                if (lost) {
                    super.cancel("lost", null);
                    return;
                }
                sent.add(message);
                Predicate<Object> kind = wanted.get();
                late = kind != null && kind.test(message) && wanted.compareAndSet(kind, null);
                super.sendMessage(message);
            }

            @Override
            public void halfClose() {
                if (!lost) {
                    super.halfClose();
                }
            }
        };
    }
}
