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

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @Test
    void thirtyPagesCostRedisWhatOneDoes() throws Exception {
        try (Holdfast holdfast = Holdfast.over(RedisBackend.connect(redis.url()));
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

    private static void awaitLooks(BufferedReader events, int looks) throws IOException {
        for (int seen = 0; seen < looks; ) {
            seen += events.readLine().equals("event: look") ? 1 : 0;
        }
    }

    private static double commandsPerLook(BufferedReader events) throws IOException {
        // What has piled up while nobody read is not counted.
        while (events.ready()) {
            events.readLine();
        }
        awaitLooks(events, 1);
        long before = commands();
        awaitLooks(events, LOOKS);
        return (commands() - before) / (double) LOOKS;
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
