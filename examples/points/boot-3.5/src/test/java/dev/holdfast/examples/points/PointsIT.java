package dev.holdfast.examples.points;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.testing.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ConfigurableApplicationContext;

/** Two machines add points for one customer. */
class PointsIT {
    private static final int CLIENTS = 4;
    private static final int REQUESTS = 10;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @Test
    void thisIsTheSpringBootThatTheBuildNames() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("holdfast.boot.version"));
    }

    @Test
    void noPointIsLostBetweenTwoMachines() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try (ConfigurableApplicationContext first = start();
                ConfigurableApplicationContext second = start()) {
            List<Future<?>> adding = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                ConfigurableApplicationContext machine = i % 2 == 0 ? first : second;
                adding.add(clients.submit(() -> {
                    for (int request = 0; request < REQUESTS; request++) {
                        add(machine);
                    }
                    return null;
                }));
            }
            for (Future<?> each : adding) {
                each.get(120, TimeUnit.SECONDS);
            }
            assertThat(add(first)).isEqualTo(CLIENTS * REQUESTS + 1);
        } finally {
            clients.shutdownNow();
        }
    }

    private static int add(ConfigurableApplicationContext machine) throws Exception {
        String port = machine.getEnvironment().getProperty("local.server.port");
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/customers/42/points"))
                .POST(HttpRequest.BodyPublishers.noBody())
                .timeout(Duration.ofSeconds(90))
                .build();
        return Integer.parseInt(HTTP.send(request, BodyHandlers.ofString()).body());
    }

    private static ConfigurableApplicationContext start() {
        return SpringApplication.run(
                PointsApplication.class,
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--spring.data.redis.port=" + redis.port(),
                // So that a server which stands still for a while is not taken for one that is gone.
                "--holdfast.redis.command-timeout=30s");
    }
}
