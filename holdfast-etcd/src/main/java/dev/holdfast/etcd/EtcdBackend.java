package dev.holdfast.etcd;

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
import io.grpc.Channel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks in etcd. A claim is a key in a queue; whoever was created first holds the lock; the revision that created the key gives
 * the fencing tokens.
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.over(EtcdBackend.connect("etcd://etcd1:2379,etcd2:2379,etcd3:2379"));
 * }</pre>
 *
 * <p>See {@code docs/etcd.md}.
 */
public final class EtcdBackend implements LockBackend {
    private final Settings settings;
    private final Guarantees guarantees;
    private @Nullable Components live;

    private EtcdBackend(Settings settings) {
        this.settings = settings;
        this.guarantees = Guarantees.builder()
                .exclusion(
                        "crashes and pauses of clients, a broken network, and the loss of any minority of the members; the"
                                + " lock of a dead process is free after its lease and 5 s at most; not somebody else who"
                                + " removes keys or revokes leases")
                .tokenSource("the revision that created the claim, times 16")
                .waking(Waking.HAND_OVER)
                .fair(true)
                .heldAtLeast(true)
                .offers(LockKind.SEMAPHORE)
                .offers(LockKind.READ_WRITE_LOCK)
                .build();
    }

    /**
     * A backend with the defaults. Does not block, and sends nothing: the connection is made with the first request, and whoever
     * asks for a lock before it stands waits for it as part of its own wait.
     *
     * @param url {@code etcd://host:2379,host:2379}, with a namespace at its end to keep the locks of this application or
     *     environment apart; {@code etcd://user:password@host:2379/shop}; {@code
     *     etcd+tls://host:2379/shop?ca=FILE&cert=FILE&key=FILE} to encrypt, with files in PEM format
     */
    public static EtcdBackend connect(String url) {
        return builder(url).connect();
    }

    /** Returns a builder with the defaults, for the URLs that {@link #connect} takes. */
    public static Builder builder(String url) {
        return Url.parse(url);
    }

    /**
     * Returns a builder with the defaults, for a channel that the program has already. We do not close it. It is to connect and
     * to change from one member to the next by itself; retries must be off ({@code disableRetry}). Passwords and TLS: TLS is the
     * channel's, {@link Builder#login} works here too.
     */
    public static Builder over(Channel channel) {
        return new Builder(List.of(new Settings.Endpoint("the program's channel", -1)), channel);
    }

    @Override
    public void open(Environment environment, Events events) {
        if (live != null) {
            throw new IllegalStateException("This backend belongs to a Holdfast already. Make another one.");
        }
        live = Components.open(settings, environment, events);
    }

    /** A request that was given up may still be carried out; a withdrawal that is answered prevents it from then on. */
    @Override
    public Duration settling() {
        return settings.requestTimeout();
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    /** From the id of the newest lease; there is another one after each loss of contact. */
    @Override
    public long connectionMark() {
        Components opened = live;
        return opened == null ? 0 : opened.claims().leases().mark();
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
    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        return explained(live().claims().releaseLater(holding, keep));
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
        return explained(Diagnosis.of(settings, live().client()));
    }

    private static <T> CompletableFuture<T> explained(CompletableFuture<T> stage) {
        return Futures.mapFailure(stage, Errors::explain);
    }

    /** Takes back what waits. What is held stays until its lease at the servers ends. Blocks for a few seconds at most. */
    @Override
    public void close() {
        Components closing = live;
        if (closing != null) {
            closing.close();
        }
    }

    /** Which member is asked. */
    String member() {
        return live().client().members.current().label();
    }

    private Components live() {
        return Objects.requireNonNull(live, "open() comes first");
    }

    /** Collects what differs from the defaults. Not safe for use by many threads. */
    public static final class Builder {
        private final List<Settings.Endpoint> endpoints;
        private final @Nullable Channel channel;
        private String namespace = "holdfast";
        private Duration requestTimeout = Duration.ofSeconds(5);
        private Settings.@Nullable Login login;
        private boolean encrypted;
        private @Nullable Path ca;
        private @Nullable Path certificate;
        private @Nullable Path key;

        Builder(List<Settings.Endpoint> endpoints, @Nullable Channel channel) {
            this.endpoints = endpoints;
            this.channel = channel;
        }

        /** What all keys begin with; {@code holdfast} unless set. One per application or environment. */
        public Builder namespace(String namespace) {
            if (namespace.isEmpty()
                    || namespace.endsWith("/")
                    || namespace.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException(
                        "A namespace is text without control characters that does not end with /, such as shop or shop/test");
            }
            if (Keys.isAmongLocks(namespace)) {
                throw new IllegalArgumentException(
                        "A namespace must not contain a number and /locks, as in shop/2/locks: its keys would be those of"
                                + " locks in another namespace");
            }
            this.namespace = namespace;
            return this;
        }

        /** How long a request waits for its answer before it fails; 5 s unless set. */
        public Builder requestTimeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("requestTimeout must be positive: " + timeout);
            }
            this.requestTimeout = timeout;
            return this;
        }

        /** Authenticates as this user. The servers give out a token for it, which is renewed when it has expired. */
        public Builder login(String user, String password) {
            this.login = new Settings.Login(user, password);
            return this;
        }

        /** Encrypts the connection. Whom to trust comes from {@link #ca}, else from the JDK. Not for a channel of the program. */
        public Builder tls() {
            this.encrypted = true;
            return this;
        }

        /** The certificates we trust, as a file in PEM format. Implies {@link #tls}. */
        public Builder ca(Path file) {
            this.ca = file;
            return tls();
        }

        /** Our own certificate and its key, as files in PEM format, for servers that ask for one. Implies {@link #tls}. */
        public Builder certificate(Path certificate, Path key) {
            this.certificate = certificate;
            this.key = key;
            return tls();
        }

        /**
         * Makes the backend. Does not block, and sends nothing; see {@link EtcdBackend#connect}.
         *
         * @throws IllegalArgumentException if TLS cannot work with these files; the message says why
         */
        public EtcdBackend connect() {
            if (channel != null && encrypted) {
                throw new IllegalArgumentException(
                        "tls() is for connections of our own: give the channel its credentials");
            }
            return new EtcdBackend(new Settings(
                    endpoints,
                    channel,
                    encrypted ? new Tls(ca, certificate, key).socketFactory() : null,
                    certificate != null,
                    login,
                    namespace,
                    requestTimeout));
        }
    }
}
