package dev.holdfast.redis.node;

import dev.holdfast.LockState;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.RefusedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Finds held locks by prefix, page by page, so that a large server is never blocked by one request. What is taken or
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
    /** The first names so far. A page may repeat a key. */
    private final TreeSet<String> names = new TreeSet<>();

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
        scan(servers.servers(), "0", result, () -> describe(described, result));
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

    /** The first names of held locks that start with the prefix. */
    public CompletionStage<List<String>> names() {
        CompletableFuture<List<String>> result = new CompletableFuture<>();
        scan(servers.servers(), "0", result, () -> result.complete(List.copyOf(names)));
        return result;
    }

    /** One server after the other. */
    private void scan(List<RedisNode> nodes, String cursor, CompletableFuture<?> result, Runnable done) {
        if (nodes.isEmpty()) {
            done.run();
            return;
        }
        String[] arguments = {cursor, keys.scanPattern(prefix), KEYS_PER_PAGE};
        var unused = nodes.get(0).eval(Script.SCAN, new String[0], arguments).whenComplete((found, failure) -> {
            if (failure != null) {
                result.completeExceptionally(failure);
            } else if (!result.isDone()) {
                Replies.Page page = Replies.Page.of(found);
                page.keys().forEach(this::add);
                if (page.isLast()) {
                    scan(nodes.subList(1, nodes.size()), "0", result, done);
                } else {
                    scan(nodes, page.nextCursor(), result, done);
                }
            }
        });
    }

    private void add(String key) {
        String name = keys.nameOf(key);
        if (name != null && name.startsWith(prefix) && names.add(name) && names.size() > limit) {
            names.pollLast();
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
        describe(Groups.of(servers, List.copyOf(names), name -> name, NAMES_PER_REQUEST), described, result);
    }

    private void describe(List<List<String>> groups, Described described, CompletableFuture<List<LockState>> result) {
        if (groups.isEmpty()) {
            described.states.sort(Comparator.comparing(LockState::name));
            result.complete(described.states);
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
                        describe(groups.subList(1, groups.size()), described, result);
                    }
                });
    }
}
