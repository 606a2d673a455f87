package dev.holdfast.redis.cluster;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import dev.holdfast.redis.node.ServerAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** What the map of a cluster means for its locks. */
final class ClusterFindings {
    private ClusterFindings() {}

    static List<Finding> of(SlotMap map) {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.note(
                "redis.topology",
                "Cluster: " + map.masters().size() + " masters (" + named(map.masters()) + "), "
                        + (map.replicas().isEmpty()
                                ? "no replicas"
                                : map.replicas().size() + " replicas (" + named(map.replicas()) + ")")
                        + ". Each lock is kept by one master. When that fails, one of its replicas takes over, and locks that it"
                        + " has not received yet are forgotten."));
        if (map.missing() > 0) {
            findings.add(new Finding(
                    "redis.slots-missing",
                    Severity.DANGER,
                    map.missing() + " of " + Slots.COUNT
                            + " slots have no server: the locks whose names belong there are" + " unavailable.",
                    "Look at redis-cli --cluster check, and repair the cluster."));
        }
        if (map.replicas().isEmpty()) {
            findings.add(new Finding(
                    "redis.no-replicas",
                    Severity.NOTE,
                    "No master has a replica: when one fails, its locks are unavailable until it is back.",
                    "Give each master a replica, where that is too long."));
        }
        return findings;
    }

    private static String named(Collection<ServerAddress> servers) {
        return servers.stream().map(ServerAddress::toString).sorted().collect(Collectors.joining(", "));
    }
}
