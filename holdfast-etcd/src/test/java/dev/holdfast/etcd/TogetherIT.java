package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that travel together, and a connection that has seen many. */
@OnEtcd
@Timeout(300)
class TogetherIT {
    @RegisterExtension
    static final Servers server = Servers.one();

    @Test
    void locksThatAreTakenAtOnceShareTheirRequests() throws Exception {
        // The server answers nothing until all of them were asked for, however slowly this thread asks.
        try (Holdfast holdfast = open()) {
            holdfast.lock("first").acquire().close();
            long before = messages();
            server.freeze(0);
            List<CompletableFuture<Lease>> asked = IntStream.range(0, 300)
                    .mapToObj(i -> holdfast.lock("together-" + i).acquireAsync())
                    .toList();
            server.thaw(0);
            List<Lease> leases = all(asked);
            assertThat(leases).allMatch(Lease::isValid);
            assertThat(holdfast.list("together-", 1000)).hasSize(300);
            server.freeze(0);
            List<CompletableFuture<Void>> released =
                    leases.stream().map(Lease::releaseAsync).toList();
            server.thaw(0);
            all(released);
            assertThat(holdfast.list("together-", 1000)).isEmpty();
            // One by one they would be 600.
            assertThat(messages() - before).isLessThan(300);
        }
    }

    @Test
    void aConnectionLastsHoweverOftenTheServerMeasuresIt() throws InterruptedException {
        // The server sends a ping with nearly each of these; gRPC's transport hangs up after ten thousand of them.
        try (Holdfast holdfast = open()) {
            for (int i = 0; i < 11_000; i++) {
                assertThat(holdfast.inspect("nobody")).isEmpty();
            }
        }
    }

    private static Holdfast open() {
        EtcdBackend backend = EtcdBackend.builder(server.url())
                .requestTimeout(Duration.ofSeconds(60))
                .connect();
        return Holdfast.builder(backend)
                .lease(Duration.ofSeconds(60))
                .unavailableAfter(Duration.ofSeconds(60))
                .build();
    }

    private static <T> List<T> all(List<CompletableFuture<T>> futures) {
        return futures.stream().map(CompletableFuture::join).toList();
    }

    /** What the server has received of requests, and on streams. */
    private static long messages() throws IOException {
        URL page = new URL(server.url().replace("etcd://", "http://") + "/metrics");
        try (InputStream in = page.openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("grpc_server_msg_received_total{"))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        }
    }
}
