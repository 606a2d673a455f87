package dev.holdfast.redis;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
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
    private final Keys keys;
    private final Duration timeout;
    private final Duration window;
    private final Duration maxLease;
    private final Guarantees guarantees;
    private @Nullable QuorumClient live;

    RedlockBackend(List<? extends RedisNode> nodes, Keys keys, Duration timeout, Duration window, Duration maxLease) {
        this.nodes = List.copyOf(nodes);
        this.keys = keys.ofQuorum();
        this.timeout = timeout;
        this.window = window;
        this.maxLease = maxLease;
        int majority = Ballot.majorityOf(nodes.size());
        this.guarantees = new Guarantees(
                "crashes and pauses of clients, a broken network, and the loss of any " + (nodes.size() - majority)
                        + " of " + nodes.size() + " servers, with or without their data; not clocks that jump",
                "counters at every server, the value on which a majority agrees",
                Waking.HINT,
                false,
                timeout.plusNanos(Validity.driftNanos(timeout)));
    }

    /**
     * Connects with all defaults. Blocks until a majority has answered, for a few seconds at most.
     *
     * @param url {@code redlock://host:port,host:port,…}, at least three; {@code redlock://user:password@host:port,…}
     * @throws LockUnavailableException if no majority can be reached; the message says which and why. Outages later on
     *     heal by themselves
     * @throws IllegalArgumentException if these are fewer than three servers, or one of them twice
     */
    public static RedlockBackend connect(String url) {
        return builder(url).connect();
    }

    /** To set something. */
    public static Builder builder(String url) {
        return new Builder(RedlockUrl.parse(url));
    }

    /** For servers with addresses of different kinds: one URL for each, as {@link RedisBackend#connect} takes it. */
    public static Builder builder(List<String> urls) {
        return new Builder(urls);
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

    @Override
    public void open(Environment environment, Events events) {
        if (live != null) {
            throw new IllegalStateException("This backend belongs to a Holdfast already. Connect another one.");
        }
        live = new QuorumClient(nodes, keys, timeout, window, maxLease, environment, events);
        live.open();
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return live().claims.claim(claim);
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        return live().tenures.renew(holdings);
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        live().claims.forget(holding.owner());
        return live().tenures.release(holding);
    }

    @Override
    public CompletionStage<Void> withdraw(String name, Owner owner) {
        live().claims.forget(owner);
        return live().tenures.withdraw(name, owner);
    }

    @Override
    public CompletionStage<Optional<LockState>> describe(String name) {
        return live().view.describe(name);
    }

    @Override
    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return live().view.list(prefix, limit);
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String name, Owner owner) {
        return live().view.breakLock(name, owner);
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return QuorumDiagnosis.of(live().quorum, live().admissions);
    }

    /** How often this client has asked all nodes: against its acquisitions, how often rivals split the vote. */
    long attempts() {
        return live().quorum.attempts();
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
        private final List<String> urls;
        private Keys keys = Keys.standard();
        private Duration claimWindow = Duration.ofSeconds(2);
        private Duration nodeTimeout = Duration.ofMillis(100);
        private Duration maxLease = Duration.ofSeconds(60);
        private @Nullable RedisClient client;

        private Builder(List<String> urls) {
            this.urls = RedlockUrl.requireSeveral(urls);
        }

        /**
         * Uses the threads of a client you have, and what it says about sockets and TLS. Its timeouts, codecs and reconnection
         * do not matter here, and it is never closed by us.
         */
        public Builder client(RedisClient client) {
            this.client = Objects.requireNonNull(client, "client");
            return this;
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
            List<LettuceNode> nodes = QuorumConnect.connect(client, urls, nodeTimeout, keys, false);
            return new RedlockBackend(nodes, keys, nodeTimeout, claimWindow, maxLease);
        }

        /**
         * As {@link RedlockBackend#initialise}, with the namespace and the longest lease that are set here.
         *
         * @throws IllegalStateException if something is there already; nothing was changed then
         * @throws LockUnavailableException if not all servers can be reached
         */
        public void initialise() {
            List<LettuceNode> nodes = QuorumConnect.connect(client, urls, QuorumConnect.INITIALISE_TIMEOUT, keys, true);
            try {
                QuorumConnect.initialise(nodes, keys.ofQuorum(), maxLease);
            } finally {
                nodes.forEach(RedisNode::close);
            }
        }
    }
}
