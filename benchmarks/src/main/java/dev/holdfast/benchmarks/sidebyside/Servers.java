package dev.holdfast.benchmarks.sidebyside;

import dev.holdfast.redis.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Real Redis servers of this run, and what they say about themselves. */
record Servers(List<RedisServer> all) implements AutoCloseable {
    static Servers started(int count) {
        List<RedisServer> servers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            servers.add(RedisServer.embedded().start());
        }
        return new Servers(servers);
    }

    List<String> urls() {
        return all.stream().map(RedisServer::url).toList();
    }

    /** Those inside scripts included; since the last reset. */
    double commands() {
        return sum(server -> (double) server.allCalls());
    }

    double bytes() {
        return sum(server ->
                info(server, "stats", "total_net_input_bytes") + info(server, "stats", "total_net_output_bytes"));
    }

    double cpuSeconds() {
        return sum(server -> info(server, "cpu", "used_cpu_sys") + info(server, "cpu", "used_cpu_user"));
    }

    void resetCounts() {
        all.forEach(RedisServer::resetCounts);
    }

    private double sum(ToDoubleFunction<RedisServer> figure) {
        return all.stream().mapToDouble(figure).sum();
    }

    private static double info(RedisServer server, String section, String field) {
        return server.text("INFO", section)
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .mapToDouble(line ->
                        Double.parseDouble(line.substring(field.length() + 1).trim()))
                .sum();
    }

    @Override
    public void close() {
        all.forEach(RedisServer::close);
    }
}
