package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.http.server.RedisTokenGuard;
import dev.holdfast.http.server.TokenFilter;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.RedisFence;
import dev.holdfast.redis.testing.Freeze;
import dev.holdfast.redis.testing.RedisServer;
import io.lettuce.core.RedisClient;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two processes, locks and guard in a real Redis, a real web server. */
class FrozenHolderIT {
    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @Test
    void theLateWriteOfAFrozenHolderIsRefused() throws Exception {
        // Freeze the holder past its lease, let a rival read and write, resume the holder. Its write must be refused.
        DataSource database = Orders.newDatabase("at first");
        RedisClient client = RedisClient.create(redis.url());
        RedisFence fence = RedisFence.over(client.connect().sync());
        Process holder = null;
        try (WebServer server = new WebServer(context -> {
                    context.addServlet("orders", new Orders(database, false, presented -> {}))
                            .addMapping("/orders/*");
                    TokenFilter.announcingAt(RedisTokenGuard.over(fence))
                            .build()
                            .addTo(context, "/orders/*");
                });
                Holdfast rival = Holdfast.over(RedisBackend.builder(redis.url())
                        .commandTimeout(Duration.ofSeconds(20))
                        .connect())) {
            holder = startHolder(server.uri("/orders/7").toString());
            BufferedReader said = holder.inputReader();
            BufferedWriter tell = holder.outputWriter();
            assertThat(said.readLine()).isEqualTo("prepared");
            Freeze.stop(holder.pid());
            try (Lease lease = rival.lock("order-7").acquire(Duration.ofSeconds(60))) {
                HttpRequest.Builder read = HttpRequest.newBuilder(server.uri("/orders/7"));
                assertThat(server.send(HoldfastHeaders.add(read, lease).build()).body())
                        .isEqualTo("at first");
                HttpRequest.Builder write = HttpRequest.newBuilder(server.uri("/orders/7"))
                        .PUT(BodyPublishers.ofString("at first, in time"));
                assertThat(server.send(HoldfastHeaders.add(write, lease).build())
                                .statusCode())
                        .isEqualTo(200);
            }
            Freeze.resume(holder.pid());
            tell.write("go\n");
            tell.flush();
            assertThat(said.readLine()).isEqualTo("answered 409");
            assertThat(said.readLine()).isEqualTo("would not send again: LeaseLostException");
            assertThat(Orders.content(database)).isEqualTo("at first, in time");
        } finally {
            if (holder != null) {
                holder.destroyForcibly().onExit().join();
            }
            client.shutdown();
        }
    }

    private static Process startHolder(String uri) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ProcessBuilder(
                        java,
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LateHolder.class.getName(),
                        redis.url(),
                        uri)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }
}
