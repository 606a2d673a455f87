package dev.holdfast.redis;

import java.util.HashMap;
import java.util.Map;

/** The answer to INFO, by field. */
record ServerInfo(Map<String, String> fields) {
    static ServerInfo parse(String text) {
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

    RedisNode.Identity identity() {
        return new RedisNode.Identity(
                get("run_id"),
                get("master_replid"),
                get("redis_version"),
                !get("redis_mode").equals("cluster"));
    }

    /** An unknown version counts as new enough: what is missing will be named when it is needed. */
    static boolean isOlderThanSupported(String version) {
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
