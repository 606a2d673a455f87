package dev.holdfast.redis.node;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Divides what is asked for many names into requests: one server takes all in one, a cluster only those of one slot. */
public final class Groups {
    private Groups() {}

    /**
     * The items of each request.
     *
     * @param most in one of them
     */
    public static <T> List<List<T>> of(Topology servers, List<T> items, Function<T, String> name, int most) {
        Map<Integer, List<T>> groups = new LinkedHashMap<>();
        for (T item : items) {
            groups.computeIfAbsent(servers.group(name.apply(item)), group -> new ArrayList<>())
                    .add(item);
        }
        List<List<T>> requests = new ArrayList<>();
        for (List<T> group : groups.values()) {
            for (int from = 0; from < group.size(); from += most) {
                requests.add(group.subList(from, Math.min(group.size(), from + most)));
            }
        }
        return requests;
    }
}
