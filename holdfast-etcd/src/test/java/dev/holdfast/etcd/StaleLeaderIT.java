package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Loss;
import dev.holdfast.etcd.rpc.LeaseKeepAliveResponse;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A leader that was replaced and has not noticed yet answers keep-alives, and nobody else hears of them. */
@OnEtcd
@Timeout(300)
class StaleLeaderIT {
    @RegisterExtension
    static final Servers server = Servers.one();

    private volatile boolean stale;

    @Test
    void aSignOfLifeThatWasTakenInAnEarlierTermDoesNotCount() throws Exception {
        // Keep-alives are answered in the term before the one in which reads are confirmed. Its successor has counted
        // from
        // its own beginning, which may be long ago: the lease ends here, though every question is answered.
        ManagedChannel channel = LateClaimIT.channelTo(server);
        try (Holdfast holdfast = Holdfast.builder(EtcdBackend.over(ClientInterceptors.intercept(channel, new Earlier()))
                        .connect())
                .lease(Duration.ofSeconds(3))
                .closeGrace(Duration.ZERO)
                .build()) {
            Lease held = holdfast.lock("stale").acquire();
            CompletableFuture<Loss> told = new CompletableFuture<>();
            held.onLost(told::complete);
            stale = true;
            assertThat(told.get(60, TimeUnit.SECONDS).kind()).isEqualTo(Loss.Kind.LOST);
            stale = false;
            holdfast.lock("stale").acquire(Duration.ofSeconds(60)).close();
        } finally {
            channel.shutdownNow();
        }
    }

    private final class Earlier implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(
                MethodDescriptor<Q, A> method, CallOptions options, Channel channel) {
            return new SimpleForwardingClientCall<>(channel.newCall(method, options)) {
                @Override
                public void start(Listener<A> listener, Metadata headers) {
                    super.start(
                            new SimpleForwardingClientCallListener<>(listener) {
                                @Override
                                public void onMessage(A message) {
                                    super.onMessage(stale ? earlier(message) : message);
                                }
                            },
                            headers);
                }
            };
        }
    }

    @SuppressWarnings("unchecked") // The same type as what was given.
    private static <A> A earlier(A message) {
        if (!(message instanceof LeaseKeepAliveResponse said)) {
            return message;
        }
        long term = said.getHeader().getRaftTerm();
        return (A) said.toBuilder()
                .setHeader(said.getHeader().toBuilder().setRaftTerm(term - 1))
                .build();
    }
}
