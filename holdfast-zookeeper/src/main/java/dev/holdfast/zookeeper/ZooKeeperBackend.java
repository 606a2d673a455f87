package dev.holdfast.zookeeper;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Locks in ZooKeeper. A claim is an ephemeral node in a queue; whoever is first holds the lock; the transaction that
 * created the node gives the fencing tokens.
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.over(ZooKeeperBackend.connect("zk1:2181,zk2:2181,zk3:2181"));
 * }</pre>
 *
 * <p>How long a lease may be trusted depends on two settings of the servers that a client cannot read: if their {@code
 * tickTime} is not 2 s or their {@code syncLimit} not 5, say so with {@link Builder#tickTime} and {@link
 * Builder#syncLimit}. See {@code docs/zookeeper.md}.
 */
public final class ZooKeeperBackend implements LockBackend {
    final Settings settings;
    private final Guarantees guarantees;
    private @Nullable Components live;

    private ZooKeeperBackend(Settings settings) {
        this.settings = settings;
        this.guarantees = Guarantees.builder()
                .exclusion(
                        "crashes and pauses of clients, a broken network, and the loss of any minority of the servers;"
                                + " not somebody else who removes nodes or ends sessions")
                .tokenSource("the zxid of the transaction that created the claim, times 16")
                .waking(Waking.HAND_OVER)
                .fair(true)
                .offers(LockKind.SEMAPHORE)
                .offers(LockKind.READ_WRITE_LOCK)
                .build();
    }

    /**
     * A backend with the defaults. Does not block, and sends nothing: the connection is made in the background as soon as
     * there is a {@code Holdfast} over it, and whoever asks for a lock before that waits for the connection as part of its
     * own wait.
     *
     * @param connectString {@code host:2181,host:2181}, with a path at its end to live under that path; what is missing of
     *     the path is created. Or a URL that has the settings with it: {@code
     *     zookeeper://user:password@host:2181,host:2181/path?tickTime=2s&syncLimit=5&sessionTimeout=30s}, {@code
     *     zookeeper+tls://} to encrypt
     */
    public static ZooKeeperBackend connect(String connectString) {
        return builder(connectString).connect();
    }

    /** Returns a builder with the defaults, for the addresses and URLs that {@link #connect} takes. */
    public static Builder builder(String connectString) {
        return Url.isOne(connectString) ? Url.parse(connectString) : new Builder(null, Address.parse(connectString));
    }

    /**
     * Returns a builder with the defaults, for a framework that the program has already. We neither start nor close it. Close it after the {@code
     * Holdfast}, not before: that would end the session, and every lock in it at once. The namespace of the framework is
     * honoured.
     *
     * <p>If it is connected already, the first lock is granted only when the session has been seen to live for a while:
     * {@code syncLimit} times {@code tickTime} and a little. Make the {@code Holdfast} before the framework is started, or
     * some time before the first lock is needed.
     */
    public static Builder over(CuratorFramework framework) {
        requireEvents(framework);
        String namespace = framework.getNamespace();
        String root = namespace == null || namespace.isEmpty() ? "" : "/" + namespace;
        return new Builder(framework, new Address("the framework's", root));
    }

    private static void requireEvents(CuratorFramework framework) {
        try {
            framework.getCuratorListenable();
        } catch (UnsupportedOperationException view) {
            throw new IllegalArgumentException(
                    "This is a view of a framework (usingNamespace), which hides its events. Give the framework itself, and"
                            + " set the namespace in its builder or with namespace() here.",
                    view);
        }
    }

    @Override
    public void open(Environment environment, Events events) {
        if (live != null) {
            throw new IllegalStateException("This backend belongs to a Holdfast already. Make another one.");
        }
        live = Components.open(settings, environment, events);
    }

    @Override
    public Duration settling() {
        return settings.session();
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    /**
     * From the id of the session. A copy of the process has the same id until it begins a session of its own; what keeps the
     * two apart meanwhile does not rest on owners, see {@code docs/decisions/zookeeper.md}.
     */
    @Override
    public long connectionMark() {
        Components opened = live;
        return opened == null ? 0 : opened.tracker().mark();
    }

    /** The session, if there is a server behind it. */
    @Nullable
    Session session() {
        return live().tracker().connected();
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return live().claims().acquire(claim);
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        return live().renewals().renew(holdings);
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return explained(live().claims().release(holding));
    }

    @Override
    public CompletionStage<Answer> releaseAndClaim(Holding holding, Claim next) {
        return explained(live().claims().releaseAndAcquire(holding, next));
    }

    @Override
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        return explained(live().claims().withdraw(key, owner));
    }

    @Override
    public CompletionStage<List<LockState>> describe(String key) {
        return explained(live().inspection().describe(key));
    }

    @Override
    public CompletionStage<List<LockState>> list(String keyPrefix, int limit) {
        // The very stage that it looks at: cancelling a derived one would not reach it.
        return live().inspection().list(keyPrefix, limit);
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return explained(live().inspection().breakLock(key, owner, slot));
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return explained(live().tracker().anySession().thenCompose(session -> Diagnosis.of(settings, session)));
    }

    private static <T> CompletableFuture<T> explained(CompletableFuture<T> stage) {
        return Futures.mapFailure(stage, Errors::explain);
    }

    /**
     * Takes back what waits. What is held stays: with a connection of our own until the session times out, over the
     * program's framework until its lease ends. Blocks for a few seconds at most.
     */
    @Override
    public void close() {
        Components closing = live;
        if (closing != null) {
            closing.close();
        }
    }

    private Components live() {
        return Objects.requireNonNull(live, "open() comes first");
    }

    /** Collects what differs from the defaults. Not safe for use by many threads. */
    public static final class Builder {
        private final @Nullable CuratorFramework framework;
        private final Address address;
        private String namespace = "holdfast";
        private Duration tickTime = Duration.ofSeconds(2);
        private int syncLimit = 5;
        private Duration session = Duration.ofSeconds(30);
        private Duration connectionTimeout = Duration.ofSeconds(5);
        private @Nullable List<ACL> acl;
        private @Nullable String digest;
        private boolean encrypted;
        private Tls.@Nullable Store trust;
        private Tls.@Nullable Store key;

        Builder(@Nullable CuratorFramework framework, Address address) {
            this.framework = framework;
            this.address = address;
        }

        /** The node below which all locks are; {@code holdfast} unless set. One per application or environment. */
        public Builder namespace(String namespace) {
            if (namespace.isEmpty() || !Paths.encode(namespace).equals(namespace)) {
                throw new IllegalArgumentException(
                        "A namespace is one path element of letters, digits, - and _, not '" + namespace + "'");
            }
            this.namespace = namespace;
            return this;
        }

        /** The {@code tickTime} of the servers; 2 s unless set. Too large costs validity, too small costs safety. */
        public Builder tickTime(Duration tickTime) {
            this.tickTime = requirePositive(tickTime, "tickTime");
            return this;
        }

        /** The {@code syncLimit} of the servers, in ticks; 5 unless set. Too large costs validity, too small safety. */
        public Builder syncLimit(int ticks) {
            if (ticks < 1) {
                throw new IllegalArgumentException("syncLimit must be at least 1 tick: " + ticks);
            }
            this.syncLimit = ticks;
            return this;
        }

        /**
         * How long the servers keep the locks of a process that has died; 30 s unless set, one minute at most. They may
         * grant less, see {@code maxSessionTimeout}. Over a framework of the program its own timeout counts; set the same
         * one here.
         */
        public Builder sessionTimeout(Duration timeout) {
            requirePositive(timeout, "sessionTimeout");
            if (timeout.compareTo(Duration.ofMinutes(1)) > 0) {
                throw new IllegalArgumentException("sessionTimeout must be at most one minute: " + timeout.toMillis()
                        + " ms. For so long a dead process would hold up everybody else.");
            }
            this.session = timeout;
            return this;
        }

        /** How long a request waits for a connection before it fails; 5 s unless set. */
        public Builder connectionTimeout(Duration timeout) {
            this.connectionTimeout = requirePositive(timeout, "connectionTimeout");
            return this;
        }

        /**
         * Who may do what with the nodes we create. Unless set: only clients with the same credentials, where the connection has
         * any (a digest, SASL, a client certificate); open to everybody where it has none.
         */
        public Builder acl(List<ACL> acl) {
            this.acl = List.copyOf(acl);
            return this;
        }

        /**
         * Authenticates as this user and creates nodes that only this user can touch. Not for a framework of the program:
         * that has its own authentication, and {@link #acl} says what to create.
         */
        public Builder digest(String user, String password) {
            this.digest = user + ":" + password;
            return acl(ZooDefs.Ids.CREATOR_ALL_ACL);
        }

        /**
         * Encrypts the connection; the servers listen for that on a port of its own. Needs Netty on the class path. Whom to
         * trust and who we are comes from {@link #trustStore} and {@link #keyStore}, else from the system properties {@code
         * zookeeper.ssl.trustStore.location} and the like, else from those of the JDK. Not for a framework of the program.
         */
        public Builder tls() {
            this.encrypted = true;
            return this;
        }

        /** The certificates we trust, as a file in a format of the JDK's (PKCS12, JKS). Implies {@link #tls}. */
        public Builder trustStore(String path, String password) {
            this.trust = new Tls.Store(path, password);
            return tls();
        }

        /** Our own certificate and its key, for servers that ask for one. Implies {@link #tls}. */
        public Builder keyStore(String path, String password) {
            this.key = new Tls.Store(path, password);
            return tls();
        }

        /**
         * Makes the backend. Does not block, and sends nothing; see {@link ZooKeeperBackend#connect}.
         *
         * @throws IllegalArgumentException if the session is too short to prove anything with these settings, or TLS cannot
         *     work with them; the message says what to set
         */
        public ZooKeeperBackend connect() {
            Timing timing = new Timing(tickTime, syncLimit);
            if (timing.leavesNothingOf(session)) {
                throw new IllegalArgumentException(timing.explainTooShort(session));
            }
            if (framework != null && digest != null) {
                throw new IllegalArgumentException(
                        "digest() is for connections of our own: give the framework its authorization, and acl() here");
            }
            if (framework != null && encrypted) {
                throw new IllegalArgumentException(
                        "tls() is for connections of our own: give the framework its configuration");
            }
            ZKClientConfig tls = encrypted ? new Tls(trust, key).config() : null;
            return new ZooKeeperBackend(
                    new Settings(framework, address, namespace, timing, session, connectionTimeout, acl, digest, tls));
        }

        private static Duration requirePositive(Duration duration, String what) {
            if (duration.isNegative() || duration.isZero()) {
                throw new IllegalArgumentException(what + " must be positive: " + duration);
            }
            return duration;
        }
    }
}
