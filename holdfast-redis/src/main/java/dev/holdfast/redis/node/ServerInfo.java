package dev.holdfast.redis.node;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The answer to INFO, by field. */
public record ServerInfo(Map<String, String> fields) {
    public static ServerInfo parse(String text) {
        Map<String, String> fields = new HashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1).strip());
            }
        });
        return new ServerInfo(fields);
    }

    String get(String field) {
        return fields.getOrDefault(field, "");
    }

    /** The replicas, for people. */
    String replicas() {
        List<String> all = new ArrayList<>();
        for (int i = 0; fields.containsKey("slave" + i); i++) {
            // ip=127.0.0.1,port=6380,state=online,offset=14,lag=0
            Map<String, String> replica = new HashMap<>();
            for (String field : get("slave" + i).split(",", -1)) {
                String[] pair = field.split("=", 2);
                replica.put(pair[0], pair.length < 2 ? "" : pair[1]);
            }
            all.add(replica.get("ip") + ":" + replica.get("port") + " (" + replica.get("state") + ")");
        }
        return all.isEmpty()
                ? "no replica"
                : (all.size() == 1 ? "the replica " : all.size() + " replicas: ") + String.join(", ", all);
    }

    public RedisNode.Identity identity() {
        return new RedisNode.Identity(
                get("run_id"), get("master_replid"), get("redis_version"), !mode().equals("cluster"));
    }

    /** Standalone, cluster or sentinel. Valkey has another name for the field. */
    String mode() {
        return fields.getOrDefault("redis_mode", get("server_mode"));
    }

    /** For people. Valkey calls itself Redis 7.2.4 beside its own version, for those who look for nothing else. */
    String product() {
        String valkey = get("valkey_version");
        return valkey.isEmpty() ? "Redis " + get("redis_version") : "Valkey " + valkey;
    }

    /** An unknown version counts as new enough: what is missing will be named when it is needed. */
    public static boolean isOlderThanSupported(String version) {
        String[] parts = version.split("\\.", 3);
        if (parts.length < 2) {
            return false;
        }
        try {
            int major = Integer.parseInt(parts[0]);
            return major < 6 || (major == 6 && Integer.parseInt(parts[1]) < 2);
        } catch (NumberFormatException unknown) {
            return false;
        }
    }
}
