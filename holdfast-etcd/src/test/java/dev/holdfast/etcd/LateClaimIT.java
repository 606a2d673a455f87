package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.etcd.rpc.KVGrpc;
import dev.holdfast.etcd.rpc.TxnRequest;
import dev.holdfast.etcd.rpc.TxnResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ClientStreamTracer;
import io.grpc.ForwardingClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A request that was given up, and is carried out all the same, much later: by a member that stood still, or a slow network. */
@OnEtcd
@Timeout(300)
class LateClaimIT {
    @RegisterExtension
    static final Servers server = Servers.one();

    @Test
    void aClaimThatArrivesAfterItWasTakenBackCreatesNothing() throws Exception {
        // The lease that it was sent with lives on, because another lock hangs on it. Without its guard the late claim
        // would
        // stand in the queue for as long as that lock is held, and nobody would know of it.
        ManagedChannel channel = channelTo(server);
        Withholding withholding = new Withholding();
        try (Holdfast holdfast = Holdfast.over(EtcdBackend.over(ClientInterceptors.intercept(channel, withholding))
                .connect())) {
            Lease beside = holdfast.lock("beside").acquire();
            withholding.next.set(new CompletableFuture<>());
            CompletableFuture<Lease> asked = holdfast.lock("late").acquireAsync(Duration.ofMinutes(2));
            TxnRequest claim = withholding.next.get().get(60, TimeUnit.SECONDS);
            // Core takes it back, and asks again under another owner.
            asked.get(60, TimeUnit.SECONDS).close();
            await("taken back").atMost(Duration.ofSeconds(60)).until(() -> !withholding.unknown.get());
            TxnResponse late =
                    ClientCalls.blockingUnaryCall(channel, KVGrpc.getTxnMethod(), CallOptions.DEFAULT, claim);
            assertThat(late.getSucceeded()).as("the late claim was carried out").isFalse();
            assertThat(holdfast.inspect("late")).isEmpty();
            assertThat(beside.isValid()).isTrue();
            beside.close();
        } finally {
            channel.shutdownNow();
        }
    }

    /** As the program might have it. */
    static ManagedChannel channelTo(Servers server) {
        Settings.Endpoint endpoint = new Settings.Endpoint("127.0.0.1", server.port(0));
        return new Settings(List.of(endpoint), null, null, false, null, "holdfast", Duration.ofSeconds(5))
                .newChannel(endpoint);
    }

    /** Keeps one claim back, and fails it as if nobody knew what became of it. */
    private static final class Withholding implements ClientInterceptor {
        final AtomicReference<CompletableFuture<TxnRequest>> next = new AtomicReference<>();
        /** True until a withdrawal was answered. */
        final AtomicReference<Boolean> unknown = new AtomicReference<>(true);

        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(
                MethodDescriptor<Q, A> method, CallOptions options, Channel channel) {
            return new ForwardingClientCall.SimpleForwardingClientCall<>(channel.newCall(method, options)) {
                private Listener<A> listener;
                private Metadata headers;
                private boolean started;
                private boolean kept;
                private boolean withdraws;

                @Override
                public void start(Listener<A> answers, Metadata sent) {
                    listener = answers;
                    headers = sent;
                }

                @Override
                public void sendMessage(Q message) {
                    CompletableFuture<TxnRequest> wanted = next.get();
                    if (wanted != null && !wanted.isDone() && isClaim(message)) {
                        kept = true;
                        options.getStreamTracerFactories()
                                .forEach(each -> each.newClientStreamTracer(
                                                ClientStreamTracer.StreamInfo.newBuilder()
                                                        .build(),
                                                headers)
                                        .outboundHeaders());
                        wanted.complete((TxnRequest) message);
                        return;
                    }
                    withdraws = wanted != null
                            && message instanceof TxnRequest txn
                            && txn.getCompareCount() == 0
                            && txn.getSuccessCount() > 0
                            && txn.getSuccess(0).hasRequestDeleteRange();
                    begin();
                    super.sendMessage(message);
                }

                private void begin() {
                    if (!started) {
                        started = true;
                        super.start(
                                new io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener<>(
                                        listener) {
                                    @Override
                                    public void onClose(Status status, Metadata trailers) {
                                        super.onClose(status, trailers);
                                        if (withdraws && status.isOk()) {
                                            unknown.set(false);
                                        }
                                    }
                                },
                                headers);
                    }
                }

                @Override
                public void request(int count) {
                    if (!kept) {
                        begin();
                        super.request(count);
                    }
                }

                @Override
                public void halfClose() {
                    if (kept) {
                        listener.onClose(Status.UNAVAILABLE.withDescription("the connection broke"), new Metadata());
                    } else {
                        super.halfClose();
                    }
                }
            };
        }

        private static boolean isClaim(Object message) {
            return message instanceof TxnRequest txn
                    && txn.getSuccessList().stream()
                            .anyMatch(op -> op.hasRequestPut()
                                    && op.getRequestPut()
                                            .getKey()
                                            .toStringUtf8()
                                            .contains("/locks/late"));
        }
    }
}
