package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.ByteString;
import dev.holdfast.Finding;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.etcd.rpc.KVGrpc;
import dev.holdfast.etcd.rpc.PutRequest;
import dev.holdfast.etcd.rpc.RequestOp;
import dev.holdfast.etcd.rpc.TxnRequest;
import dev.holdfast.tck.Renewed;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server whose database has reached its quota. */
@OnEtcd
@Timeout(300)
class NoSpaceIT {
    /** 16 MiB are among the least that a server starts with. */
    @RegisterExtension
    static final Servers server = Servers.one("--quota-backend-bytes=16777216");

    @Test
    void whatIsHeldStaysHeldAndCanBeReleasedAndNothingNewIsGranted() throws Exception {
        EtcdBackend backend = EtcdBackend.builder(server.url())
                .requestTimeout(Duration.ofSeconds(60))
                .connect();
        // Two thirds of the lease are more than the server needs for what fills it, a third is waited for.
        try (Holdfast holdfast = Holdfast.builder(backend)
                .lease(Duration.ofSeconds(18))
                .unavailableAfter(Duration.ofSeconds(60))
                .build()) {
            Lease held = holdfast.lock("held").acquire();
            List<Lease> alsoHeld = IntStream.range(0, 20)
                    .mapToObj(i -> holdfast.lock("also-" + i).acquireAsync().join())
                    .toList();
            fill();
            assertThat(server.etcdctl("alarm", "list").output()).contains("NOSPACE");
            await("renewed").atMost(Duration.ofSeconds(60)).until(Renewed.since(held));
            assertThatThrownBy(() -> holdfast.lock("new").tryAcquire())
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("NOSPACE");
            assertThat(holdfast.diagnose()).extracting(Finding::code).contains("etcd.no-space");
            assertReleasedBesideClaims(holdfast, held, alsoHeld);
            assertThat(holdfast.inspect("held")).isEmpty();
        }
    }

    /** A release that travels with claims is not refused together with them. Each claim is asked for once, and answered. */
    private static void assertReleasedBesideClaims(Holdfast holdfast, Lease held, List<Lease> alsoHeld) {
        List<CompletableFuture<?>> released = new ArrayList<>(List.of(held.releaseAsync()));
        List<CompletableFuture<Lease>> claimed = new ArrayList<>();
        for (Lease each : alsoHeld) {
            claimed.add(holdfast.lock("new-" + each.name()).acquireAsync(Duration.ZERO));
            released.add(each.releaseAsync());
        }
        CompletableFuture.allOf(released.toArray(CompletableFuture[]::new)).join();
        assertThat(claimed)
                .allSatisfy(each -> assertThat(each)
                        .failsWithin(Duration.ofSeconds(60))
                        .withThrowableThat()
                        .withMessageContaining("NOSPACE"));
    }

    private static void fill() {
        ManagedChannel channel = LateClaimIT.channelTo(server);
        try {
            PutRequest megabyte = PutRequest.newBuilder()
                    .setKey(Keys.bytes("filler"))
                    .setValue(ByteString.copyFrom(new byte[1_000_000]))
                    .build();
            TxnRequest write = TxnRequest.newBuilder()
                    .addSuccess(RequestOp.newBuilder().setRequestPut(megabyte))
                    .build();
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100; i++) {
                            ClientCalls.blockingUnaryCall(channel, KVGrpc.getTxnMethod(), CallOptions.DEFAULT, write);
                        }
                    })
                    .hasMessageContaining("space exceeded");
        } finally {
            channel.shutdownNow();
        }
    }
}
