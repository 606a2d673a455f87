package dev.holdfast.dashboard;

import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.Votes;
import dev.holdfast.Waiting;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The locks of a small shop on three servers, for pictures: always the same tenures. */
final class Scene {
    private static final List<String> SERVERS = List.of("redis-a:6379", "redis-b:6379", "redis-c:6379");
    /** Name, description, host, process, seconds held, milliseconds left, seconds that others have waited. */
    private static final String LOCKS = """
            invoice-42;billing: close the month;app-3;1187;184;21400;12,7
            invoice-57;billing: close the month;app-3;1187;31;28900;
            nightly-report;report.sh;batch-1;40871;2911;17200;
            order/1001;shop: reserve stock;app-1;2210;1;29600;
            order/1002;shop: reserve stock;app-2;1043;3;27100;2
            scheduler;leader;app-2;1043;86400;12300;
            schema/migration;flyway;deploy-7;77;22;4100;20
            """;

    private final Random random = new Random(7);
    private final Instant now = Instant.now();
    private final boolean renewed;

    private Scene(boolean renewed) {
        this.renewed = renewed;
    }

    /** @param renewed as they were just after a renewal */
    static List<LockState> locks(boolean renewed) {
        Scene scene = new Scene(renewed);
        List<LockState> locks = new ArrayList<>(LOCKS.lines().map(scene::lock).toList());
        for (int i = 0; i < 40; i++) {
            locks.add(scene.lock("stock/" + (4000 + i * 13) + ";shop: count stock;app-" + (1 + i % 3) + ";"
                    + (1000 + i % 3 * 143) + ";" + (2 + i % 9) + ";" + (20_000 + 200 * (i % 47)) + ";"));
        }
        return locks;
    }

    private LockState lock(String line) {
        String[] part = line.split(";", -1);
        List<Waiting> waiters = new ArrayList<>();
        for (String seconds : part[6].isEmpty() ? new String[0] : part[6].split(",", -1)) {
            Holder waiting =
                    new Holder("app-" + (1 + waiters.size()), 2210 - 1167L * waiters.size(), "billing: export");
            waiters.add(Waiting.of(waiting, now.minusSeconds(Long.parseLong(seconds))));
        }
        boolean split = part[0].equals("invoice-42");
        return LockState.builder(part[0], Owner.random(random))
                .holder(new Holder(part[2], Long.parseLong(part[3]), part[1]))
                .tokens(1000L + random.nextInt(90_000), 16)
                .since(now.minusSeconds(Long.parseLong(part[4])))
                .remaining(Duration.ofMillis(renewed ? 30_000 : Long.parseLong(part[5])))
                .waiters(waiters)
                .votes(split ? Votes.of(SERVERS.subList(0, 2), SERVERS.subList(2, 3)) : Votes.of(SERVERS, List.of()))
                .build();
    }
}
