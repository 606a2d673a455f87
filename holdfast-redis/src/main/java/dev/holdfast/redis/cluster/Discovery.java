package dev.holdfast.redis.cluster;

import dev.holdfast.redis.node.ClusterConnections;
import dev.holdfast.redis.node.ServerAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Asks servers for the map of slots, one after the other, until one answers. */
final class Discovery {
    /** What was found, and the server that told it, if it is still connected and a master. */
    record Found(SlotMap map, Optional<ClusterServer> server) {
        /** For those who have connections already. */
        SlotMap closeServer() {
            server.ifPresent(connected -> connected.node.close());
            return map;
        }
    }

    private Discovery() {}

    /** Over connections of its own. Fails with what the last of them said. */
    static CompletionStage<Found> ask(ClusterConnections connections, List<ServerAddress> seeds) {
        ClusterServer server = new ClusterServer(seeds.get(0), connections.server(seeds.get(0)));
        return server.node
                .connectAsync()
                .thenCompose(connected -> slots(server))
                .handle((map, failure) -> {
                    if (map != null && map.masters().contains(server.address)) {
                        server.connected();
                        return CompletableFuture.completedStage(new Found(map, Optional.of(server)));
                    }
                    server.node.close();
                    if (map != null) {
                        return CompletableFuture.completedStage(new Found(map, Optional.empty()));
                    }
                    return seeds.size() == 1
                            ? CompletableFuture.<Found>failedStage(failure)
                            : ask(connections, seeds.subList(1, seeds.size()));
                })
                .thenCompose(stage -> stage);
    }

    /** Over connections that stand already. */
    static CompletionStage<SlotMap> askOneOf(List<ClusterServer> servers) {
        if (servers.isEmpty()) {
            return CompletableFuture.failedStage(new IllegalStateException("No server of the cluster is connected"));
        }
        return slots(servers.get(0))
                .handle((map, failure) -> map != null
                        ? CompletableFuture.completedStage(map)
                        : askOneOf(servers.subList(1, servers.size())))
                .thenCompose(stage -> stage);
    }

    private static CompletionStage<SlotMap> slots(ClusterServer server) {
        return server.node.ask("CLUSTER", "SLOTS").thenApply(reply -> {
            SlotMap map = SlotMap.of(reply, server.address.host());
            if (map.masters().isEmpty()) {
                throw ClusterTopology.noCluster(server.address);
            }
            return map;
        });
    }
}
