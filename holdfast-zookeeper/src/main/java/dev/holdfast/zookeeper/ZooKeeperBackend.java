package dev.holdfast.zookeeper;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
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
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * Locks in ZooKeeper. A claim is an ephemeral node in a line; whoever is first holds the lock; the transaction that
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
    private final Settings settings;
    private final Guarantees guarantees;
    private @Nullable Live live;

    /** What exists once core has given us time and events. */
    private record Live(
            Environment environment,
            Connection connection,
            Link link,
            Nodes nodes,
            Places places,
            Desk desk,
            Renewing renewing,
            Looking looking,
            Heartbeat beat) {}

    /** @param framework the user's own, or null to make one for the address */
    record Settings(
            @Nullable CuratorFramework framework,
            Address address,
            String namespace,
            Timing timing,
            Duration session,
            Duration patience,
            List<ACL> acl,
            @Nullable String digest) {
        Paths paths() {
            return new Paths(address.root() + "/" + namespace + "/1");
        }
    }

    private ZooKeeperBackend(Settings settings) {
        this.settings = settings;
        this.guarantees = new Guarantees(
                "crashes and pauses of clients, a broken network, and the loss of any minority of the servers",
                "the zxid of the transaction that created the claim, times 16",
                Waking.HAND_OVER,
                true,
                settings.session());
    }

    /**
     * With all defaults. Connects when a {@code Holdfast} is made of it, and does not wait for that: a lock that is asked
     * for before there is a connection waits for it for a few seconds.
     *
     * @param connectString {@code host:2181,host:2181}, with a path at its end to live under that path; what is missing of
     *     the path is created. Or a URL that has the settings with it: {@code
     *     zookeeper://user:password@host:2181,host:2181/path?tickTime=2s&syncLimit=5&sessionTimeout=30s}
     */
    public static ZooKeeperBackend connect(String connectString) {
        return builder(connectString).build();
    }

    /** To set something. Takes what {@link #connect} takes. */
    public static Builder builder(String connectString) {
        return connectString.startsWith(Url.SCHEME)
                ? Url.parse(connectString)
                : new Builder(null, Address.parse(connectString));
    }

    /**
     * Over a framework that the program has already; it is neither started nor closed by us. Close it after the {@code
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
        Connection connection = Connection.of(settings, environment);
        Paths paths = settings.paths();
        Ears ears = new Ears(events);
        Link link = new Link(connection.curator(), settings.timing(), settings.patience(), environment, ears);
        Nodes nodes = new Nodes(paths, settings.acl(), environment);
        Places places = new Places();
        Desk desk = new Desk(link, nodes, places, environment, events);
        Heartbeat beat = new Heartbeat(link, desk, places, paths, environment);
        ears.desk = desk;
        ears.beat = beat;
        live = new Live(
                environment,
                connection,
                link,
                nodes,
                places,
                desk,
                new Renewing(link, nodes, places, environment),
                new Looking(link, nodes, paths),
                beat);
        link.open(connection.isOurs());
    }

    /** Passes on what happens to the connection. */
    private static final class Ears implements Link.Listener {
        private final Events events;
        private @Nullable Desk desk;
        private @Nullable Heartbeat beat;

        Ears(Events events) {
            this.events = events;
        }

        @Override
        public void connected(Session session, boolean again) {
            Heartbeat heart = Objects.requireNonNull(beat);
            if (session.beginsToBeat()) {
                heart.start(session);
            } else {
                var unused = heart.beat(session);
            }
            if (again) {
                events.recheckAll("ZooKeeper is back");
            }
        }

        @Override
        public void disconnected(Session session) {
            // Every renewal is answered with "unknown" now: that is what makes the leases uncertain at once.
            events.recheckAll("contact with ZooKeeper is interrupted");
        }

        @Override
        public void ended(Session session) {
            events.disturbed("ZooKeeper", "the session 0x" + Long.toHexString(session.id) + " is over");
            Objects.requireNonNull(desk).ended(session);
        }
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return live().desk().acquire(claim);
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        return live().renewing().renew(holdings);
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return explained(live().desk().release(holding));
    }

    @Override
    public CompletionStage<Answer> releaseAndClaim(Holding holding, Claim next) {
        return explained(live().desk().releaseAndAcquire(holding, next));
    }

    @Override
    public CompletionStage<Void> withdraw(String name, Owner owner) {
        return explained(live().desk().withdraw(name, owner));
    }

    @Override
    public CompletionStage<Optional<LockState>> describe(String name) {
        return explained(live().looking().describe(name));
    }

    @Override
    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return explained(live().looking().list(prefix, limit));
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String name, Owner owner) {
        return explained(live().looking().breakLock(name, owner));
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return live().link().anySession().thenApply(session -> Diagnosis.of(settings, session.timeout));
    }

    private static <T> CompletableFuture<T> explained(CompletableFuture<T> stage) {
        return Stages.mapFailure(stage, Errors::explain);
    }

    /**
     * Takes back what waits. What is held stays: with a connection of our own until the session times out, over the
     * program's framework until its lease ends. Blocks for a few seconds at most.
     */
    @Override
    public void close() {
        Live closing = live;
        if (closing == null) {
            return;
        }
        closing.beat().stop();
        Session last = closing.link().close();
        Closing.of(last, closing.connection(), closing.places(), closing.nodes(), closing.environment());
    }

    private Live live() {
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
        private Duration patience = Duration.ofSeconds(5);
        private List<ACL> acl = ZooDefs.Ids.OPEN_ACL_UNSAFE;
        private @Nullable String digest;

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
            this.patience = requirePositive(timeout, "connectionTimeout");
            return this;
        }

        /** Who may do what with the nodes we create; open to everybody unless set. */
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
         * Done. Sends nothing.
         *
         * @throws IllegalArgumentException if the session is too short to prove anything with these settings; the message
         *     says what to set
         */
        public ZooKeeperBackend build() {
            Timing timing = new Timing(tickTime, syncLimit);
            if (timing.leavesNothingOf(session)) {
                throw new IllegalArgumentException(timing.complaint(session));
            }
            if (framework != null && digest != null) {
                throw new IllegalArgumentException(
                        "digest() is for connections of our own: give the framework its authorization, and acl() here");
            }
            return new ZooKeeperBackend(
                    new Settings(framework, address, namespace, timing, session, patience, acl, digest));
        }

        private static Duration requirePositive(Duration duration, String what) {
            if (duration.isNegative() || duration.isZero()) {
                throw new IllegalArgumentException(what + " must be positive: " + duration);
            }
            return duration;
        }
    }
}
