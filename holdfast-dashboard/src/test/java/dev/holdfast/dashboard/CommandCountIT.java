package dev.holdfast.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.dashboard.web.Raw;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Resp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a real Redis is asked, by its own count. */
@Timeout(300)
class CommandCountIT {
    private static final int PAGES = 30;
    private static final int LOOKS = 5;
    private static final int MOST_ROUNDS = 20;
    private static final Duration LEASE = Duration.ofMinutes(10);

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @Test
    void thirtyPagesCostRedisWhatOneDoes() throws Exception {
        // Not renewed, which would be counted, and longer than the test takes.
        try (Holdfast holdfast = Holdfast.builder(RedisBackend.connect(redis.url()))
                        .maxLease(LEASE)
                        .lease(LEASE)
                        .build();
                Dashboard dashboard = Dashboard.serve(holdfast);
                Lease lease = holdfast.lock("a").fixed().acquire()) {
            List<Socket> pages = new ArrayList<>();
            BufferedReader first = open(dashboard, pages);
            awaitLooks(first, 2);
            double alone = commandsPerLook(first);
            BufferedReader last = first;
            while (pages.size() < PAGES) {
                last = open(dashboard, pages);
            }
            awaitLooks(last, 1);
            double together = commandsPerLook(first);
            System.out.println("measured: commands at Redis for each look: " + alone + " with one page open, "
                    + together + " with " + PAGES);
            // A look may begin or end inside of what is counted, and a client checks its connection now and then.
            assertThat(together).isLessThan(2 * alone + 5).isLessThan(PAGES);
            assertThat(lease.isValid()).isTrue();
            for (Socket each : pages) {
                each.close();
            }
        }
    }

    private static BufferedReader open(Dashboard dashboard, List<Socket> pages) throws IOException {
        URI link = dashboard.newLink();
        String cookie = Raw.to(dashboard.uri())
                .get(link.getRawPath() + "?" + link.getRawQuery())
                .cookie();
        Socket socket = Raw.to(dashboard.uri()).with("Cookie", cookie).send("GET", "/events");
        pages.add(socket);
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Returns at the end of the last one, behind which nothing is told until the next one is over. */
    private static void awaitLooks(BufferedReader events, int looks) throws IOException {
        for (int seen = 0; seen < looks; ) {
            if (events.readLine().equals("event: look")) {
                seen++;
                // Its data, the empty line behind it, and the one that ends its chunk.
                for (int i = 0; i < 3; i++) {
                    events.readLine();
                }
            }
        }
    }

    /** If more was told before the commands were counted, this thread was late, and nobody knows for how many looks they are. */
    private static double commandsPerLook(BufferedReader events) throws IOException {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            // What has piled up while nobody read is not counted.
            while (events.ready()) {
                events.readLine();
            }
            awaitLooks(events, 1);
            long before = commands();
            boolean late = events.ready();
            awaitLooks(events, LOOKS);
            long after = commands();
            if (!late && !events.ready()) {
                return (after - before) / (double) LOOKS;
            }
        }
        throw new AssertionError("This thread was late in each of " + MOST_ROUNDS + " rounds");
    }

    private static long commands() throws IOException {
        try (Resp resp = new Resp(redis.port())) {
            return String.valueOf(resp.call("INFO", "stats"))
                    .lines()
                    .filter(line -> line.startsWith("total_commands_processed:"))
                    .mapToLong(line ->
                            Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
