package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockState;
import dev.holdfast.http.server.TokenFilter;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.testing.RedisServer;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sixteen writers of one resource, whose locks are broken under them all the time. */
class ConcurrentWritersIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WRITERS = 16;
    private static final int ROUNDS = 3;

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private final AtomicInteger written = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    @Test
    void everyAcceptedWriteCounts() throws Exception {
        // Each round reads a number and writes the next one. In every third round the writer's lock is broken between
        // the two, and
        // its write is sent after the next holder has read. A write that is accepted and overwritten shows as a missing
        // count.
        DataSource database = Orders.newDatabase("0");
        List<Holdfast> clients = new ArrayList<>();
        ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
        try (WebServer server = new WebServer(context -> {
            context.addServlet("orders", new Orders(database, true, presented -> {}))
                    .addMapping("/orders/*");
            TokenFilter.checkedByHandlers().build().addTo(context, "/orders/*");
        })) {
            for (int i = 0; i < 4; i++) {
                // A client learns that its lock was broken when it renews: soon. No lease is handed on within a broken
                // tenure.
                clients.add(Holdfast.builder(RedisBackend.builder(redis.url())
                                .commandTimeout(Duration.ofSeconds(20))
                                .connect())
                        .lease(Duration.ofSeconds(2))
                        .cohort(1)
                        .build());
            }
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                running.add(writers.submit(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        Holdfast mine = clients.get(writer % clients.size());
                        Holdfast other = clients.get((writer + 1) % clients.size());
                        if ((writer + round) % 3 == 0) {
                            beOvertaken(server, mine, other);
                        } else {
                            count(server, mine);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get(120, TimeUnit.SECONDS);
            }
        } finally {
            writers.shutdownNow();
            clients.forEach(Holdfast::close);
        }
        assertThat(Orders.content(database)).isEqualTo(Integer.toString(written.get()));
        assertThat(refused.get()).isPositive();
        assertThat(written.get()).isPositive();
    }

    private void count(WebServer server, Holdfast holdfast) throws Exception {
        try (Lease lease = holdfast.lock("order-7").acquire(PATIENCE)) {
            Optional<HttpRequest> write = readAndPrepare(server, lease);
            if (write.isPresent()) {
                send(server, write.get());
            }
        }
    }

    /** Prepares a write, loses the lock to another client, which reads, and sends both writes: that of the old lease first. */
    private void beOvertaken(WebServer server, Holdfast mine, Holdfast other) throws Exception {
        try (Lease old = mine.lock("order-7").acquire(PATIENCE)) {
            Optional<HttpRequest> late = readAndPrepare(server, old);
            Optional<LockState> state = mine.inspect("order-7");
            if (state.isPresent() && state.get().tokens().contains(old.token())) {
                mine.breakLock(state.get());
            }
            try (Lease next = other.lock("order-7").acquire(PATIENCE)) {
                Optional<HttpRequest> write = readAndPrepare(server, next);
                if (late.isPresent()) {
                    int status = send(server, late.get());
                    // Otherwise the next lease was lost as well, perhaps before it was announced.
                    if (write.isPresent()) {
                        assertThat(status).as("overtaken").isEqualTo(409);
                    }
                }
                if (write.isPresent()) {
                    send(server, write.get());
                }
            }
        }
    }

    /** Empty if the lease was found to be over on the way. */
    private Optional<HttpRequest> readAndPrepare(WebServer server, Lease lease) throws Exception {
        try {
            HttpRequest.Builder read = HttpRequest.newBuilder(server.uri("/orders/7"));
            HttpResponse<String> seen =
                    server.send(HoldfastHeaders.add(read, lease).build());
            if (seen.statusCode() == 409) {
                refused.incrementAndGet();
                return Optional.empty();
            }
            assertThat(seen.statusCode()).isEqualTo(200);
            String next = Integer.toString(Integer.parseInt(seen.body()) + 1);
            HttpRequest.Builder write =
                    HttpRequest.newBuilder(server.uri("/orders/7")).PUT(BodyPublishers.ofString(next));
            return Optional.of(HoldfastHeaders.add(write, lease).build());
        } catch (LeaseLostException e) {
            return Optional.empty();
        }
    }

    private int send(WebServer server, HttpRequest write) throws Exception {
        int status = server.send(write).statusCode();
        assertThat(status).isIn(200, 409);
        (status == 200 ? written : refused).incrementAndGet();
        return status;
    }
}
