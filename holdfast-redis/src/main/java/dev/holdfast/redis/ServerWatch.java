package dev.holdfast.redis;

import dev.holdfast.BackendNotice;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.Replies;
import dev.holdfast.redis.node.ServerClocks;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** What is kept for each server: what its clock shows, and whether it may remove held locks. */
final class ServerWatch {
    private final Topology servers;
    private final Environment environment;
    private final Events events;
    private final ServerClocks clocks;
    private final ConcurrentHashMap<RedisNode, EvictionWatch> evictions = new ConcurrentHashMap<>();
    private volatile boolean closed;

    ServerWatch(Topology servers, Environment environment, Events events, ServerClocks clocks) {
        this.servers = servers;
        this.environment = environment;
        this.events = events;
        this.clocks = clocks;
    }

    /** The server was asked who it is on connecting. */
    void connected(RedisNode server) {
        Set<RedisNode> known = Set.copyOf(servers.servers());
        clocks.retain(known.stream().map(each -> each.identity().runId()).collect(Collectors.toSet()));
        evictions.keySet().removeIf(each -> each != server && !known.contains(each));
        sampleTime(server);
        if (!closed) {
            evictions.computeIfAbsent(server, this::watch).connected();
        }
    }

    private EvictionWatch watch(RedisNode server) {
        return new EvictionWatch(
                server,
                environment,
                (severity, what) -> events.notice(new BackendNotice(severity, "memory of " + server.address(), what)));
    }

    /** The first sample on a connection. Until it is here, an acquire brings one and is sent again. */
    private void sampleTime(RedisNode server) {
        String runId = server.identity().runId();
        long sent = environment.nanoTime();
        var unused = server.ask("TIME").whenComplete((time, failure) -> {
            if (failure == null) {
                clocks.of(runId).sample(runId, sent, environment.nanoTime(), Replies.timeMicros(time));
            }
        });
    }

    /** The client does something. An idle one sends nothing. */
    void used() {
        for (EvictionWatch each : evictions.values()) {
            each.used();
        }
    }

    void close() {
        closed = true;
        evictions.values().forEach(EvictionWatch::close);
    }
}
