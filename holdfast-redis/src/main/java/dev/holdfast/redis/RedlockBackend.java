package dev.holdfast.redis;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.lettuce.LettuceNode;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.quorum.Ballot;
import dev.holdfast.redis.quorum.QuorumClient;
import dev.holdfast.redis.quorum.QuorumConnect;
import dev.holdfast.redis.quorum.QuorumSetup;
import dev.holdfast.redis.quorum.ServerList;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks over N independent Redis servers, known as Redlock: a lock is held by whoever has a majority of all of them, so
 * any minority may be down, hang or restart empty. Every lease has a fencing token that grows per name.
 *
 * <pre>{@code
 * RedlockBackend.initialise("redlock://a:6379,b:6379,c:6379,d:6379,e:6379");      // once, for new servers
 * Holdfast holdfast = Holdfast.over(RedlockBackend.connect("redlock://a:6379,b:6379,c:6379,d:6379,e:6379"));
 * }</pre>
 *
 * <p>The servers must not replicate to each other, and each must be reached directly. {@code docs/redlock.md} says what
 * is promised, what is assumed, and why it holds.
 */
public final class RedlockBackend implements LockBackend {
    private final List<? extends RedisNode> nodes;
    private final ServerList list;
    private final Keys keys;
    private final Duration timeout;
    private final Duration window;
    private final Duration maxLease;
    private final Guarantees guarantees;
    private @Nullable QuorumClient live;

    private RedlockBackend(
            List<? extends RedisNode> nodes,
            ServerList list,
            Keys keys,
            Duration timeout,
            Duration window,
            Duration maxLease) {
        this.nodes = List.copyOf(nodes);
        this.list = list;
        this.keys = keys.ofQuorum();
        this.timeout = timeout;
        this.window = window;
        this.maxLease = maxLease;
        int majority = Ballot.majorityOf(nodes.size());
        this.guarantees = Guarantees.builder()
                .exclusion("crashes and pauses of clients, a broken network, and the loss of any "
                        + (nodes.size() - majority) + " of " + nodes.size()
                        + " servers, with or without their data; not clocks that jump")
                .tokenSource("counters at every server, the value on which a majority agrees")
                .waking(Waking.HINT)
                .fair(false)
                .heldAtLeast(true)
                .offers(LockKind.SEMAPHORE)
                .refuses(
                        LockKind.READ_WRITE_LOCK,
                        "on a quorum a waiting writer has its place on one server only, so readers would win the others and"
                                + " starve it; and two readers could be given one token")
                .build();
    }

    /**
     * Connects with all defaults. Blocks until a majority has answered, for a few seconds at most.
     *
     * @param url {@code redlock://host:port,host:port,…}, at least three; {@code redlock://user:password@host:port,…}. All
     *     clients name the same servers; one that reaches a server under another address writes {@code name=host:port},
     *     where the name is the address that the others use
     * @throws LockUnavailableException if no majority can be reached; the message says which and why. Outages later on
     *     heal by themselves
     * @throws IllegalArgumentException if these are fewer than three servers, or one of them twice
     */
    public static RedlockBackend connect(String url) {
        return builder(url).connect();
    }

    /** Returns a builder with the defaults, for a URL as {@link #connect} takes it. Nothing is connected yet. */
    public static Builder builder(String url) {
        return builder(ServerList.parse(url));
    }

    /**
     * Returns a builder with the defaults, for servers with addresses of different kinds: one URL for each, as {@link
     * RedisBackend#connect} takes it; with a name, {@code name=redis://host:port}, where other clients have another address for
     * that server. Nothing is connected yet.
     */
    public static Builder builder(List<String> urls) {
        return new Builder(null, ServerList.urisOf(urls), ServerList.ofUrls(urls));
    }

    /** Returns a builder with the defaults. The servers go by their addresses. Nothing is connected yet. */
    public static Builder builder(RedisURI... servers) {
        return new Builder(null, List.of(servers), ServerList.ofUris(List.of(servers)));
    }

    /** As {@link #over(RedisClient, List)}, for a URL as {@link #connect} takes it. */
    public static Builder over(RedisClient client, String url) {
        return over(client, ServerList.parse(url));
    }

    /**
     * Returns a builder that uses the threads of a client you have, and what it says about sockets and TLS. Its timeouts, codecs
     * and reconnection do not matter here, and it is never closed by us. Nothing is connected yet.
     *
     * @param urls as {@link #builder(List)} takes them
     */
    public static Builder over(RedisClient client, List<String> urls) {
        return new Builder(Objects.requireNonNull(client, "client"), ServerList.urisOf(urls), ServerList.ofUrls(urls));
    }

    /** As {@link #over(RedisClient, List)}. The servers go by their addresses. */
    public static Builder over(RedisClient client, RedisURI... servers) {
        return new Builder(
                Objects.requireNonNull(client, "client"), List.of(servers), ServerList.ofUris(List.of(servers)));
    }

    /**
     * Lets new servers vote at once. Call it once for a new deployment, with all defaults; {@link Builder#initialise} for
     * anything else. By calling it you state that no lease of these servers can exist. Without it they begin to vote by
     * themselves, after the longest lease that could exist. Blocks for a few seconds at most.
     *
     * @throws IllegalStateException if something is there already; nothing was changed then
     * @throws LockUnavailableException if not all of them can be reached
     */
    public static void initialise(String url) {
        builder(url).initialise();
    }

    /**
     * Over servers that are reached in another way than through Lettuce: for simulators and tests. {@code RedisNode} is in a
     * package that the module does not export, so this is not for applications.
     *
     * @param list the names of the servers, in the order of the nodes
     */
    @SuppressWarnings("exports")
    public static RedlockBackend overNodes(
            List<? extends RedisNode> nodes,
            ServerList list,
            Keys keys,
            Duration nodeTimeout,
            Duration claimWindow,
            Duration maxLease) {
        return new RedlockBackend(nodes, list, keys, nodeTimeout, claimWindow, maxLease);
    }

    @Override
    public void open(Environment environment, Events events) {
        if (live != null) {
            throw new IllegalStateException("This backend belongs to a Holdfast already. Connect another one.");
        }
        live = new QuorumClient(nodes, list, keys, timeout, window, maxLease, environment, events);
        live.open();
    }

    /** Of all connections together: one that is new makes it another. */
    @Override
    public long connectionMark() {
        long mark = 0;
        for (RedisNode node : nodes) {
            mark ^= node.mark();
        }
        return mark;
    }

    @Override
    public Duration settling() {
        return timeout.plusNanos(Validity.driftNanos(timeout));
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return live().tryAcquire(claim);
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        return live().renew(holdings);
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return live().release(holding);
    }

    @Override
    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        return live().releaseLater(holding, keep);
    }

    @Override
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        return live().withdraw(key, owner, slots);
    }

    @Override
    public CompletionStage<List<LockState>> describe(String key) {
        return live().describe(key);
    }

    @Override
    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return live().list(prefix, limit);
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return live().breakLock(key, owner, slot);
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return live().diagnose();
    }

    /** How often this client has asked all nodes: against its acquisitions, how often rivals split the vote. */
    long attempts() {
        return live().attempts();
    }

    private QuorumClient live() {
        return Objects.requireNonNull(live, "open() comes first");
    }

    @Override
    public void close() {
        if (live != null) {
            live.close();
        }
        nodes.forEach(RedisNode::close);
    }

    /** Collects what differs from the defaults. Not safe for use by many threads. */
    public static final class Builder {
        private final @Nullable RedisClient client;
        private final List<RedisURI> servers;
        private final ServerList list;
        private Keys keys = Keys.standard();
        private Duration claimWindow = Duration.ofSeconds(2);
        private Duration nodeTimeout = Duration.ofMillis(100);
        private Duration maxLease = Duration.ofSeconds(60);

        private Builder(@Nullable RedisClient client, List<RedisURI> servers, ServerList list) {
            this.client = client;
            this.servers = servers;
            this.list = list.requireSeveral();
        }

        /** Keeps the locks of an application or environment apart from those of others on the same servers. */
        public Builder namespace(String namespace) {
            this.keys = Keys.inNamespace(Objects.requireNonNull(namespace, "namespace"));
            return this;
        }

        /** How long one server may take to answer one request; 100 ms unless set. Far below every lease. */
        public Builder nodeTimeout(Duration timeout) {
            this.nodeTimeout = requireBetween(timeout, Duration.ofMillis(5), Duration.ofSeconds(10), "nodeTimeout");
            return this;
        }

        /** How long a waiter that was told "your turn" has before the next is told; 2 s unless set. */
        public Builder claimWindow(Duration window) {
            this.claimWindow = requireBetween(window, Duration.ofMillis(10), Duration.ofMinutes(1), "claimWindow");
            return this;
        }

        /**
         * The longest lease that can be asked for here; 60 s unless set. A server that has restarted does not vote for this
         * long. The servers remember the largest that any client has set.
         */
        public Builder maxLease(Duration longest) {
            this.maxLease = requireBetween(longest, Duration.ofMillis(100), Duration.ofDays(1), "maxLease");
            return this;
        }

        private static Duration requireBetween(Duration duration, Duration least, Duration most, String what) {
            if (duration.compareTo(least) < 0 || duration.compareTo(most) > 0) {
                throw new IllegalArgumentException(what + " must be from " + least + " to " + most + ": " + duration);
            }
            return duration;
        }

        /**
         * Connects. Blocks until a majority has answered, for a few seconds at most.
         *
         * @throws LockUnavailableException if no majority can be reached; the message says which and why
         * @throws IllegalArgumentException if two addresses lead to the same server
         */
        public RedlockBackend connect() {
            List<LettuceNode> nodes = QuorumConnect.connect(client, servers, nodeTimeout, keys);
            return new RedlockBackend(nodes, list, keys, nodeTimeout, claimWindow, maxLease);
        }

        /**
         * As {@link RedlockBackend#initialise}, with the namespace and the longest lease that are set here.
         *
         * @throws IllegalStateException if something is there already; nothing was changed then
         * @throws LockUnavailableException if not all servers can be reached
         */
        public void initialise() {
            List<LettuceNode> nodes = QuorumConnect.connectPatiently(client, servers, keys, servers.size());
            try {
                new QuorumSetup(nodes, list, keys.ofQuorum()).initialise(maxLease);
            } finally {
                nodes.forEach(RedisNode::close);
            }
        }

        /**
         * Puts another server in the place of one of the quorum's. Call it on a builder with the <b>new</b> list. From then on
         * the old server has no vote, clients with the old list are refused, and their leases end when they would have to be
         * renewed; clients with the new list work at once, with one server less until the new one votes, after the longest
         * lease. The old server need not be reachable; the new one must be, and a majority of those that stay. If that fails
         * halfway nobody holds a lock twice: call it again. Blocks for some seconds at most.
         *
         * @param old the address, or the name, that the server has had in the list
         * @param replacement that of the server in its place, which must be in the list of this builder, and must not
         *     remember anything of a quorum
         * @throws IllegalArgumentException if the list of this builder is not the new one
         * @throws IllegalStateException if the servers belong to another list, if the new one is not empty, or if too few have
         *     confirmed; the message says whether anything was changed
         * @throws LockUnavailableException if too few can be reached; nothing was changed then
         */
        public void replaceServer(String old, String replacement) {
            String gone = ServerList.canonical(old);
            String newcomer = ServerList.canonical(replacement);
            if (!list.names().contains(newcomer) || list.names().contains(gone)) {
                throw new IllegalArgumentException("This takes the new list of servers, with " + newcomer
                        + " and without " + gone + "; it is " + list.text());
            }
            List<LettuceNode> nodes =
                    QuorumConnect.connectPatiently(client, servers, keys, Ballot.majorityOf(servers.size()));
            try {
                new QuorumSetup(nodes, list, keys.ofQuorum()).replace(gone, newcomer);
            } finally {
                nodes.forEach(RedisNode::close);
            }
        }
    }
}
