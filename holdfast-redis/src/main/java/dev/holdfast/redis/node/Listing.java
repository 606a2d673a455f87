package dev.holdfast.redis.node;

import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.RefusedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Finds what is held by the beginning of its key, page by page, so that a large server is never blocked by one request. What is taken or
 * released meanwhile may be in the answer or not. Nothing more is asked once the caller has cancelled the stage, or
 * completed it in any other way.
 */
public final class Listing {
    private static final String KEYS_PER_PAGE = "1000";
    private static final int NAMES_PER_REQUEST = 100;

    private final Topology servers;
    private final Keys keys;
    private final String prefix;
    private final int limit;
    /** The first so far. A page may repeat a key. */
    private final TreeSet<Keys.Held> first = new TreeSet<>();

    /** Of one server. */
    public Listing(RedisNode node, Keys keys, String prefix, int limit) {
        this(new SingleServer(node), keys, prefix, limit);
    }

    public Listing(Topology servers, Keys keys, String prefix, int limit) {
        this.servers = servers;
        this.keys = keys;
        this.prefix = prefix;
        this.limit = limit;
    }

    /**
     * The states of held locks.
     *
     * @param foreign told how many keys look like locks and are none, or have a queue that is none; not if there are none
     */
    public CompletionStage<List<LockState>> run(Consumer<String> foreign) {
        CompletableFuture<List<LockState>> result = new CompletableFuture<>();
        Described described = new Described();
        scan(servers.servers(), keys.scanPatternOfKeys(prefix), "0", result, () -> describe(described, result));
        // Not the stage behind it: whoever cancels that one stops nothing.
        var unused = result.whenComplete((states, failure) -> {
            if (described.foreign > 0 && failure == null) {
                foreign.accept(foreign(described.foreign, described.firstForeign));
            }
        });
        return result;
    }

    public static String foreign(int count, String first) {
        return "Of the keys that locks have, " + count + " hold something that Holdfast did not write, beginning with "
                + first + "; they are left out, or listed without waiters. Delete what is foreign, or choose another"
                + " namespace";
    }

    /** The first names of held locks that start with the prefix, and of no other kind. */
    public CompletionStage<List<String>> names() {
        CompletableFuture<List<String>> result = new CompletableFuture<>();
        scan(
                servers.servers(),
                keys.scanPattern(prefix),
                "0",
                result,
                () -> result.complete(first.stream().map(Keys.Held::key).toList()));
        return result;
    }

    /** One server after the other. */
    private void scan(
            List<RedisNode> nodes, String pattern, String cursor, CompletableFuture<?> result, Runnable done) {
        if (nodes.isEmpty()) {
            done.run();
            return;
        }
        String[] arguments = {cursor, pattern, KEYS_PER_PAGE};
        var unused = nodes.get(0).eval(Script.SCAN, new String[0], arguments).whenComplete((found, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (!result.isDone()) {
                Replies.Page page = Replies.Page.of(found);
                page.keys().forEach(this::add);
                if (page.isLast()) {
                    scan(nodes.subList(1, nodes.size()), pattern, "0", result, done);
                } else {
                    scan(nodes, pattern, page.nextCursor(), result, done);
                }
            }
        });
    }

    private void add(String key) {
        Keys.Held held = keys.holding(key);
        if (held != null && held.key().startsWith(prefix) && first.add(held) && first.size() > limit) {
            first.pollLast();
        }
    }

    /** What has been found so far. Filled by one request after the other. */
    private static final class Described {
        final List<LockState> states = new ArrayList<>();
        int foreign;
        String firstForeign = "";

        void add(Keys keys, String name, Replies.Entry entry) {
            boolean foreignLock = entry.isForeign(name);
            if (!foreignLock) {
                entry.state(name).ifPresent(states::add);
            }
            if ((foreignLock || entry.isQueueForeign()) && foreign++ == 0) {
                firstForeign = foreignLock ? keys.lock(name) : keys.queue(name);
            }
        }

        void add(Description.Found found) {
            states.addAll(found.states());
            if (!found.foreign().isEmpty() && foreign == 0) {
                firstForeign = found.foreign().get(0);
            }
            foreign += found.foreign().size();
        }
    }

    /** Who holds this name. Where Holdfast did not write what stands under its key, that is said as a claim for it is told. */
    public static CompletionStage<Optional<LockState>> describe(Topology servers, Keys keys, String name) {
        String[] both = {keys.lock(name), keys.queue(name)};
        return servers.at(
                name,
                server -> server.eval(Script.DESCRIBE, both, new String[0]).thenApply(reply -> {
                    Replies.Entry entry = Replies.Entry.of(reply, 0);
                    if (entry.isForeign(name)) {
                        throw new RefusedException(Errors.foreign(server.address(), both[0]));
                    }
                    return entry.state(name);
                }));
    }

    private void describe(Described described, CompletableFuture<List<LockState>> result) {
        List<String> locks = new ArrayList<>();
        Map<String, List<Integer>> slots = new LinkedHashMap<>();
        List<Description.Request> others = new ArrayList<>();
        for (Keys.Held held : first) {
            switch (LockKey.kindOf(held.key())) {
                case LOCK -> locks.add(held.key());
                case SEMAPHORE ->
                    slots.computeIfAbsent(LockKey.nameIn(held.key()), name -> new ArrayList<>())
                            .add(held.slot());
                case READ_WRITE_LOCK -> others.add(Description.ofReadWriteLock(keys, LockKey.nameIn(held.key())));
            }
        }
        slots.forEach((name, some) -> others.add(Description.ofSlots(keys, name, some)));
        describe(
                Groups.of(servers, locks, name -> name, NAMES_PER_REQUEST),
                described,
                result,
                () -> describeOthers(others, described, result));
    }

    private void describeOthers(
            List<Description.Request> requests, Described described, CompletableFuture<List<LockState>> result) {
        if (requests.isEmpty()) {
            // Stable: holders of one key stay as they were answered.
            described.states.sort(Comparator.comparing(state -> state.key().encoded()));
            result.complete(described.states.subList(0, Math.min(limit, described.states.size())));
            return;
        }
        Description.Request request = requests.get(0);
        var unused = servers.at(request.key, server -> server.eval(request.script, request.all, new String[0]))
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(Failures.unwrap(failure));
                    } else if (!result.isDone()) {
                        described.add(request.read(reply));
                        describeOthers(requests.subList(1, requests.size()), described, result);
                    }
                });
    }

    private void describe(
            List<List<String>> groups, Described described, CompletableFuture<List<LockState>> result, Runnable done) {
        if (groups.isEmpty()) {
            done.run();
            return;
        }
        List<String> some = groups.get(0);
        String[] both = new String[2 * some.size()];
        for (int i = 0; i < some.size(); i++) {
            both[2 * i] = keys.lock(some.get(i));
            both[2 * i + 1] = keys.queue(some.get(i));
        }
        var unused = servers.at(some.get(0), server -> server.eval(Script.DESCRIBE, both, new String[0]))
                .whenComplete((reply, failure) -> {
                    if (failure != null) {
                        result.completeExceptionally(Failures.unwrap(failure));
                    } else if (!result.isDone()) {
                        for (int i = 0; i < some.size(); i++) {
                            described.add(keys, some.get(i), Replies.Entry.of(reply, i));
                        }
                        describe(groups.subList(1, groups.size()), described, result, done);
                    }
                });
    }
}
