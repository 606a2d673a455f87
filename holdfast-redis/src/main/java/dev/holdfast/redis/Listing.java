package dev.holdfast.redis;

import dev.holdfast.LockState;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Finds held locks by prefix, page by page, so that a large server is never blocked by one request. What is taken or
 * released meanwhile may be in the answer or not.
 */
final class Listing {
    private static final String KEYS_PER_PAGE = "1000";
    private static final int NAMES_PER_REQUEST = 100;

    private final RedisNode node;
    private final Keys keys;
    private final String prefix;
    private final int limit;
    /** The first names so far. A page may repeat a key. */
    private final TreeSet<String> names = new TreeSet<>();

    Listing(RedisNode node, Keys keys, String prefix, int limit) {
        this.node = node;
        this.keys = keys;
        this.prefix = prefix;
        this.limit = limit;
    }

    CompletionStage<List<LockState>> run() {
        return names().thenCompose(found -> describe(node, keys, found));
    }

    /** The first names of held locks that begin so. */
    CompletionStage<List<String>> names() {
        return scan("0").thenApply(nothing -> List.copyOf(names));
    }

    private CompletionStage<Void> scan(String cursor) {
        return node.eval(Script.SCAN, new String[0], new String[] {cursor, keys.scanPattern(prefix), KEYS_PER_PAGE})
                .thenCompose(page -> {
                    for (Object key : (List<?>) page.get(1)) {
                        add(String.valueOf(key));
                    }
                    String next = String.valueOf(page.get(0));
                    return next.equals("0") ? CompletableFuture.completedStage(null) : scan(next);
                });
    }

    private void add(String key) {
        String name = keys.nameOf(key);
        if (name != null && name.startsWith(prefix) && names.add(name) && names.size() > limit) {
            names.pollLast();
        }
    }

    /** Those of the names that are held, in the same order. */
    static CompletionStage<List<LockState>> describe(RedisNode node, Keys keys, List<String> names) {
        CompletionStage<List<LockState>> all = CompletableFuture.completedStage(new ArrayList<>(names.size()));
        for (int from = 0; from < names.size(); from += NAMES_PER_REQUEST) {
            List<String> some = names.subList(from, Math.min(names.size(), from + NAMES_PER_REQUEST));
            all = all.thenCompose(states -> describeSome(node, keys, some).thenApply(more -> {
                states.addAll(more);
                return states;
            }));
        }
        return all;
    }

    private static CompletionStage<List<LockState>> describeSome(RedisNode node, Keys keys, List<String> names) {
        String[] both = new String[2 * names.size()];
        for (int i = 0; i < names.size(); i++) {
            both[2 * i] = keys.lock(names.get(i));
            both[2 * i + 1] = keys.queue(names.get(i));
        }
        return node.eval(Script.DESCRIBE, both, new String[0]).thenApply(reply -> {
            List<LockState> states = new ArrayList<>(names.size());
            for (int i = 0; i < names.size(); i++) {
                state(names.get(i), (List<?>) reply.get(i)).ifPresent(states::add);
            }
            return states;
        });
    }

    /** @param fields lock value or null, remaining milliseconds, queue entries */
    static Optional<LockState> state(String name, List<?> fields) {
        Object value = fields.get(0);
        return value == null
                ? Optional.empty()
                : Wire.parseState(name, value.toString(), (Long) fields.get(1), (List<?>) fields.get(2));
    }
}
