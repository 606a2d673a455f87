package dev.holdfast.benchmarks.failover;

import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Resp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/**
 * What a pushed grant costs a cluster of three masters and three replicas: with PUBLISH, which goes to every server, and with
 * SPUBLISH, which stays among a master and its replicas and can be heard only there. Only on Linux: it reads what processes wrote.
 */
public final class PublishCost {
    private static final int MESSAGES = 20_000;
    private static final int AT_ONCE = 100;
    private static final int PACED = 2_000;
    private static final String TEXT = "g".repeat(150);
    private static final String CHANNEL = "{inbox}";

    private PublishCost() {}

    /** Runs it, and prints a table in Markdown. */
    public static void main(String[] arguments) throws Exception {
        try (RedisCluster cluster = RedisCluster.withReplicas().start()) {
            int slot = Integer.parseInt(cluster.servers().get(0).text("CLUSTER", "KEYSLOT", CHANNEL));
            RedisServer owner = cluster.masterOf(slot);
            RedisServer other = cluster.masters().stream()
                    .filter(each -> each != owner)
                    .findFirst()
                    .orElseThrow();
            print(
                    "| | bus messages | bytes on the bus | server CPU, µs, all six | latency, µs: median | nine of ten |");
            print("|---|---|---|---|---|---|");
            measure(cluster, "PUBLISH, heard on the same server", "PUBLISH", "SUBSCRIBE", owner, owner);
            measure(cluster, "PUBLISH, heard on another server", "PUBLISH", "SUBSCRIBE", owner, other);
            measure(cluster, "SPUBLISH, heard on the same server", "SPUBLISH", "SSUBSCRIBE", owner, owner);
        }
    }

    private static void measure(
            RedisCluster cluster, String what, String publish, String subscribe, RedisServer from, RedisServer at)
            throws IOException {
        try (Resp publisher = new Resp(from.port());
                Resp listener = new Resp(at.port())) {
            var unused = listener.call(subscribe, CHANNEL);
            // Warms up, and is not counted.
            send(publisher, listener, publish, 2_000);
            Cost before = Cost.of(cluster.servers());
            send(publisher, listener, publish, MESSAGES);
            Cost cost = Cost.of(cluster.servers()).minus(before);
            long[] nanos = latencies(publisher, listener, publish);
            print(
                    "| %s | %.2f | %.0f | %.1f | %.0f | %.0f |",
                    what,
                    cost.busMessages() / MESSAGES,
                    cost.busBytes() / MESSAGES,
                    cost.cpuMicros() / MESSAGES,
                    nanos[PACED / 2] / 1e3,
                    nanos[PACED * 9 / 10] / 1e3);
        }
    }

    private static void send(Resp publisher, Resp listener, String publish, int count) throws IOException {
        for (int sent = 0; sent < count; sent += AT_ONCE) {
            for (int i = 0; i < AT_ONCE; i++) {
                publisher.send(publish, CHANNEL, TEXT);
            }
            for (int i = 0; i < AT_ONCE; i++) {
                skip(publisher);
                skip(listener);
            }
        }
    }

    private static void skip(Resp connection) throws IOException {
        var unused = connection.read();
    }

    /** One message at a time, from before it is sent until it is heard. */
    private static long[] latencies(Resp publisher, Resp listener, String publish) throws IOException {
        long[] nanos = new long[PACED];
        for (int i = 0; i < PACED; i++) {
            long begin = System.nanoTime();
            publisher.send(publish, CHANNEL, TEXT);
            skip(listener);
            nanos[i] = System.nanoTime() - begin;
            skip(publisher);
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
        }
        Arrays.sort(nanos);
        return nanos;
    }

    /** Sums over servers. What a process wrote and did not write to clients went over the bus, or to replicas. */
    private record Cost(double busMessages, double busBytes, double cpuMicros) {
        static Cost of(List<RedisServer> servers) throws IOException {
            double messages = 0;
            double bytes = 0;
            double cpu = 0;
            for (RedisServer server : servers) {
                String text = server.text("CLUSTER", "INFO") + "\n" + server.text("INFO", "everything");
                messages += figure(text, "cluster_stats_messages_publish_sent")
                        + figure(text, "cluster_stats_messages_publishshard_sent");
                bytes += written((long) figure(text, "process_id")) - figure(text, "total_net_output_bytes");
                cpu += 1e6 * (figure(text, "used_cpu_sys") + figure(text, "used_cpu_user"));
            }
            return new Cost(messages, bytes, cpu);
        }

        private static double figure(String info, String field) {
            return info.lines()
                    .filter(line -> line.startsWith(field + ":"))
                    .mapToDouble(line -> Double.parseDouble(
                            line.substring(field.length() + 1).trim()))
                    .sum();
        }

        private static double written(long process) throws IOException {
            try (var lines = Files.lines(Path.of("/proc/" + process + "/io"))) {
                return lines.filter(line -> line.startsWith("wchar:"))
                        .collect(Collectors.averagingDouble(
                                line -> Double.parseDouble(line.substring("wchar:".length()))));
            }
        }

        Cost minus(Cost other) {
            return new Cost(busMessages - other.busMessages, busBytes - other.busBytes, cpuMicros - other.cpuMicros);
        }
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
