package dev.holdfast.redis.cluster;

import dev.holdfast.redis.node.ServerAddress;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which master keeps which slot, as one server of the cluster saw it. Immutable. */
final class SlotMap {
    static final SlotMap EMPTY = new SlotMap(new ServerAddress[Slots.COUNT], Set.of());

    private final @Nullable ServerAddress[] masters;
    private final Set<ServerAddress> replicas;

    private SlotMap(@Nullable ServerAddress[] masters, Set<ServerAddress> replicas) {
        this.masters = masters;
        this.replicas = replicas;
    }

    /**
     * The answer to CLUSTER SLOTS: {@code {{first, last, {host, port, …}, {host, port, …}}, …}}, the master before its replicas.
     *
     * @param host of the server that was asked: one that does not know its own name answers with an empty one
     */
    static SlotMap of(List<Object> reply, String host) {
        @Nullable ServerAddress[] masters = new ServerAddress[Slots.COUNT];
        Set<ServerAddress> replicas = new LinkedHashSet<>();
        for (Object each : reply) {
            List<?> range = (List<?>) each;
            for (int i = 3; i < range.size(); i++) {
                replicas.add(address(range.get(i), host));
            }
            int first = Math.toIntExact((Long) range.get(0));
            int last = Math.toIntExact((Long) range.get(1));
            Arrays.fill(masters, first, last + 1, address(range.get(2), host));
        }
        return new SlotMap(masters, Set.copyOf(replicas));
    }

    private static ServerAddress address(Object server, String host) {
        List<?> fields = (List<?>) server;
        String said = fields.get(0) instanceof String text ? text : "";
        boolean unknown = said.isEmpty() || said.equals("?");
        return new ServerAddress(unknown ? host : said, Math.toIntExact((Long) fields.get(1)));
    }

    /** The same, but for one slot. */
    SlotMap with(int slot, ServerAddress master) {
        if (master.equals(masters[slot])) {
            return this;
        }
        @Nullable ServerAddress[] changed = masters.clone();
        changed[slot] = master;
        return new SlotMap(changed, replicas);
    }

    /** Null: nobody keeps it. */
    @Nullable
    ServerAddress masterOf(int slot) {
        return masters[slot];
    }

    Set<ServerAddress> masters() {
        Set<ServerAddress> all = new LinkedHashSet<>();
        for (ServerAddress master : masters) {
            if (master != null) {
                all.add(master);
            }
        }
        return all;
    }

    Set<ServerAddress> replicas() {
        return replicas;
    }

    /** How many slots nobody keeps. */
    int missing() {
        int missing = 0;
        for (ServerAddress master : masters) {
            missing += master == null ? 1 : 0;
        }
        return missing;
    }
}
