package dev.holdfast.redis.cluster;

import dev.holdfast.Finding;
import dev.holdfast.redis.node.ClusterConnections;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.ScriptRunner;
import dev.holdfast.redis.node.ServerAddress;
import dev.holdfast.redis.node.Subscription;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.RefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The masters of a Redis Cluster. Each keeps the names whose slots it has. There is one connection for commands to each master, and
 * one inbox, at whichever of them it can be subscribed.
 *
 * <p>The map of slots is read from the servers, when a connection is opened and whenever something says that it is not right any
 * more: a redirect, a server that cannot be reached, a slot without a server. Between those nothing is asked.
 */
public final class ClusterTopology implements Topology {
    private static final int[] SLOT_OF_BUCKET = new int[Keys.BUCKETS];

    static {
        for (int bucket = 0; bucket < Keys.BUCKETS; bucket++) {
            SLOT_OF_BUCKET[bucket] = Slots.of(Integer.toString(bucket));
        }
    }

    /** Between two looks at the map while something is wrong. Half of it is random. */
    private static final long LOOK_AGAIN_NANOS = 400_000_000;

    private final ClusterConnections connections;
    private final List<ServerAddress> seeds;
    private final Duration timeout;
    /** Entries are added by whoever needs a server first, and taken out by {@link #apply}. */
    private final ConcurrentHashMap<ServerAddress, ClusterServer> servers = new ConcurrentHashMap<>();

    private final Subscription inbox;
    private final Redirects redirects = new Redirects(this);
    /** Whether a look at the map is planned or under way. */
    private final AtomicBoolean looking = new AtomicBoolean();
    /** Where the inbox is, or was last. Written by the supplier that its connections ask, one after the other. */
    private volatile @Nullable ServerAddress inboxAt;
    /** Replaced as a whole. Racy, and benign: a redirect that another thread overwrites is met again. */
    private volatile SlotMap map = SlotMap.EMPTY;
    // Both are written once, by open().
    private volatile @Nullable Environment environment;
    private volatile @Nullable Listener listener;
    private volatile boolean closed;

    /**
     * @param seeds servers of the cluster, some or all; the others are learnt from them
     * @param timeout of a request, and for how long a request waits for a slot that is moving
     */
    public ClusterTopology(ClusterConnections connections, List<ServerAddress> seeds, Duration timeout) {
        this.connections = connections;
        this.seeds = List.copyOf(seeds);
        this.timeout = timeout;
        this.inbox = connections.inbox(this::whereToSubscribe);
    }

    /**
     * The first look at the cluster. Fails if none of the seeds can be asked; then everything is closed by {@link #close}. A master
     * that cannot be reached is no failure: the names of the others can be locked.
     */
    public CompletableFuture<Void> connectAsync() {
        return Discovery.ask(connections, seeds).toCompletableFuture().thenCompose(found -> {
            map = found.map();
            found.server().ifPresent(server -> servers.put(server.address, server));
            List<CompletableFuture<?>> attempts = new ArrayList<>();
            for (ServerAddress master : map.masters()) {
                ClusterServer server = servers.computeIfAbsent(master, this::make);
                if (!server.firstAttempt.isDone()) {
                    attempts.add(
                            server.node.connectAsync().toCompletableFuture().handle((done, failure) -> {
                                if (failure == null) {
                                    server.connected();
                                }
                                return null;
                            }));
                }
            }
            return CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new));
        });
    }

    private ClusterServer make(ServerAddress address) {
        return new ClusterServer(address, connections.server(address));
    }

    @Override
    public Kind kind() {
        return Kind.CLUSTER;
    }

    @Override
    public String address() {
        return "the cluster of " + seeds.get(0);
    }

    @Override
    public void open(Environment environment, Listener listener, LongFunction<String> channels) {
        this.listener = listener;
        this.environment = environment;
        for (ClusterServer server : servers.values()) {
            boolean adopted = server.isReachable();
            server.node.openCommands(environment, new ServerListener(server));
            if (adopted) {
                listener.connected(server.node);
            }
        }
        inbox.open(environment, listener, channels);
        if (map.missing() > 0) {
            lookSoon();
        }
    }

    private final class ServerListener implements RedisNode.Listener {
        private final ClusterServer server;

        ServerListener(ClusterServer server) {
            this.server = server;
        }

        @Override
        public void reconnected() {
            server.connected();
            Objects.requireNonNull(listener).reconnected(server.node);
        }

        @Override
        public void notConnected(Throwable why) {
            boolean first = server.isReachable() || !server.firstAttempt.isDone();
            server.notConnected();
            if (first) {
                Objects.requireNonNull(listener).notConnected(server.node, why);
            }
            lookSoon();
        }

        @Override
        public void subscribed(String channel) {}

        @Override
        public void notSubscribed(Throwable why) {}

        @Override
        public void message(String text) {}
    }

    // ---- requests

    @Override
    public <T> CompletionStage<T> at(String name, Function<ScriptRunner, CompletionStage<T>> request) {
        return redirects.follow(group(name), request);
    }

    @Override
    public int group(String name) {
        return SLOT_OF_BUCKET[Keys.bucket(name)];
    }

    /** Which server keeps that slot, as far as is known; null if nobody does. */
    @Nullable
    ClusterServer serverOf(int slot) {
        ServerAddress master = map.masterOf(slot);
        return master == null ? null : server(master);
    }

    /** The server at that address, connected or being connected. */
    ClusterServer server(ServerAddress address) {
        ClusterServer known = servers.get(address);
        if (known != null) {
            return known;
        }
        ClusterServer made = make(address);
        ClusterServer first = servers.putIfAbsent(address, made);
        if (first != null) {
            made.node.close();
            return first;
        }
        made.node.openCommands(time(), new ServerListener(made));
        if (closed && servers.remove(address, made)) {
            made.node.close();
        }
        return made;
    }

    /** A server said that this slot is another one's now. Others may have moved, too. */
    void moved(int slot, ServerAddress master) {
        map = map.with(slot, master);
        lookSoon();
    }

    Duration timeout() {
        return timeout;
    }

    Environment time() {
        return Objects.requireNonNull(environment, "open() comes first");
    }

    // ---- the map

    /** The map may be wrong. */
    void lookSoon() {
        Environment time = environment;
        if (time != null && !closed && looking.compareAndSet(false, true)) {
            // Many processes notice the same thing at the same moment.
            long pause = LOOK_AGAIN_NANOS / 2 + (long) (time.random().nextDouble() * LOOK_AGAIN_NANOS / 2);
            time.schedule(pause, this::look);
        }
    }

    private void look() {
        if (closed) {
            return;
        }
        List<ClusterServer> reachable = new ArrayList<>(
                servers.values().stream().filter(ClusterServer::isReachable).toList());
        Collections.shuffle(reachable, new Random(time().random().nextLong()));
        Discovery.askOneOf(reachable)
                .handle((found, failure) -> {
                    if (found != null) {
                        return CompletableFuture.completedStage(found);
                    }
                    // Everybody we knew is gone.
                    return Discovery.ask(connections, seeds).thenApply(Discovery.Found::closeServer);
                })
                .thenCompose(stage -> stage)
                .whenComplete((found, failure) -> {
                    looking.set(false);
                    if (found != null) {
                        apply(found);
                    }
                    if (found == null || isWrong()) {
                        lookSoon();
                    }
                });
    }

    private void apply(SlotMap found) {
        map = found;
        for (ServerAddress master : found.masters()) {
            server(master);
        }
        for (Map.Entry<ServerAddress, ClusterServer> each : servers.entrySet()) {
            // A server that has no slot yet, and is none's replica, may have a part of one that is moving to it.
            boolean useless =
                    found.replicas().contains(each.getKey()) || !each.getValue().isReachable();
            if (useless && !found.masters().contains(each.getKey()) && servers.remove(each.getKey(), each.getValue())) {
                each.getValue().notConnected();
                each.getValue().node.close();
            }
        }
        ServerAddress subscribed = inboxAt;
        if (subscribed != null && !found.masters().contains(subscribed)) {
            inbox.replace();
        }
    }

    private boolean isWrong() {
        SlotMap now = map;
        return now.missing() > 0
                || now.masters().stream().anyMatch(master -> !server(master).isReachable());
    }

    // ---- what others look at

    @Override
    public List<RedisNode> servers() {
        List<RedisNode> nodes = new ArrayList<>();
        for (ServerAddress master : map.masters()) {
            nodes.add(server(master).node);
        }
        return nodes;
    }

    @Override
    public CompletionStage<List<Finding>> findings() {
        return Discovery.askOneOf(servers.values().stream()
                        .filter(ClusterServer::isReachable)
                        .toList())
                .exceptionally(failure -> map)
                .thenApply(ClusterFindings::of);
    }

    @Override
    public long mark() {
        for (ClusterServer server : servers.values()) {
            long mark = server.node.mark();
            if (mark != 0) {
                return mark;
            }
        }
        return 0;
    }

    // ---- the inbox

    /** A reachable master, another one each time: what is published at one reaches the subscribers of all. */
    private ServerAddress whereToSubscribe() {
        List<ServerAddress> candidates = new ArrayList<>();
        for (ServerAddress master : map.masters()) {
            ClusterServer server = servers.get(master);
            if (server != null && server.isReachable() && !master.equals(inboxAt)) {
                candidates.add(master);
            }
        }
        ServerAddress last = inboxAt;
        ServerAddress next = !candidates.isEmpty()
                ? candidates.get(time().random().nextInt(candidates.size()))
                : last != null ? last : seeds.get(0);
        inboxAt = next;
        return next;
    }

    @Override
    public boolean isSubscribed() {
        return inbox.isSubscribed();
    }

    @Override
    public void replaceInbox() {
        inbox.replace();
    }

    @Override
    public void close() {
        closed = true;
        inbox.close();
        for (ClusterServer server : servers.values()) {
            if (servers.remove(server.address, server)) {
                server.notConnected();
                server.node.close();
            }
        }
        connections.close();
    }

    /** Where no slot has a server. */
    static RefusedException noCluster(ServerAddress asked) {
        return new RefusedException(
                "Redis at " + asked + " belongs to a cluster in which no slot has a server: create the cluster"
                        + " first, for example with redis-cli --cluster create");
    }
}
