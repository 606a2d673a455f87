package dev.holdfast.redis;

import dev.holdfast.BackendNotice;
import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.lettuce.LettuceConnect;
import dev.holdfast.redis.lettuce.RedisAddress;
import dev.holdfast.redis.node.Confirmation;
import dev.holdfast.redis.node.Description;
import dev.holdfast.redis.node.Diagnosis;
import dev.holdfast.redis.node.HandOverWatch;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Listing;
import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.node.Replies;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.ScriptRunner;
import dev.holdfast.redis.node.ServerClocks;
import dev.holdfast.redis.node.SingleServer;
import dev.holdfast.redis.node.Topology;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks in Redis: on one server, on the master that sentinels name, or in a cluster. A connection for commands to each server that
 * keeps locks, and one on which this process is told that a lock it waits for is now its own, whatever the number of locks.
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.over(RedisBackend.connect("redis://localhost:6379"));
 * }</pre>
 *
 * <p>Mutual exclusion holds as long as the server keeps its memory: see {@code docs/redis.md} for restarts and eviction, and {@code
 * docs/topologies.md} for failover. After an outage the connections heal by themselves, waiters go on waiting, and every lease is
 * checked at once.
 */
public final class RedisBackend implements LockBackend {
    private final Topology servers;
    private final Keys keys;
    private final Duration timeout;
    private final Duration window;
    private final boolean confirmed;
    private final RequestContext context;
    private final Guarantees guarantees;
    private final ServerClocks clocks = new ServerClocks();
    private @Nullable Live live;

    /** What exists once core has given us time and events. */
    private record Live(
            Environment environment,
            Events events,
            Inbox inbox,
            HandOverWatch handOvers,
            QueuedClaimsCheck queuedClaims,
            Claims claims,
            RenewalRequests renewals,
            ServerWatch watch) {}

    private RedisBackend(
            Topology servers, Keys keys, Duration window, Duration timeout, @Nullable Confirmation confirmation) {
        this.servers = servers;
        this.keys = keys;
        this.timeout = timeout;
        this.window = window;
        this.confirmed = confirmation != null;
        this.context = new RequestContext(window);
        this.guarantees = RedisGuarantees.of(servers.kind(), confirmation);
    }

    /**
     * Connects with all defaults. Blocks until the server has answered, for a few seconds at most.
     *
     * @param url {@code redis://host:6379}; {@code redis+sentinel://host:26379,host:26379/master} for the master that sentinels name;
     *     {@code redis+cluster://host:6379,host:6379} for a cluster, some of its servers are enough. {@code rediss} instead of
     *     {@code redis} for TLS; {@code user:password@} before the first host
     * @throws LockUnavailableException if the server cannot be reached or does not accept us; the message
     *     says where and why. Outages later on heal by themselves
     */
    public static RedisBackend connect(String url) {
        return builder(url).connect();
    }

    /** Returns a builder with the defaults, for a URL as {@link #connect} takes it. Nothing is connected yet. */
    public static Builder builder(String url) {
        return new Builder(null, RedisAddress.parse(Objects.requireNonNull(url, "url")));
    }

    /** Returns a builder with the defaults, for one server or for sentinels. Nothing is connected yet. */
    public static Builder builder(RedisURI uri) {
        return new Builder(null, RedisAddress.of(Objects.requireNonNull(uri, "uri")));
    }

    /** As {@link #over(RedisClient, RedisURI)}, for a URL as {@link #connect} takes it. */
    public static Builder over(RedisClient client, String url) {
        return new Builder(
                Objects.requireNonNull(client, "client"), RedisAddress.parse(Objects.requireNonNull(url, "url")));
    }

    /**
     * Returns a builder that uses the threads of a client you have, and what it says about sockets and TLS. Its timeouts, codecs
     * and reconnection do not matter here, and it is never closed by us. Nothing is connected yet.
     *
     * @param uri which server, or which sentinels: a Lettuce client does not say
     */
    public static Builder over(RedisClient client, RedisURI uri) {
        return new Builder(
                Objects.requireNonNull(client, "client"), RedisAddress.of(Objects.requireNonNull(uri, "uri")));
    }

    /**
     * Returns a builder for the cluster of a client you have, with its servers, its threads, its login and what it says about sockets
     * and TLS. Its timeouts, codecs and topology refresh do not matter here, and it is never closed by us. Nothing is connected yet.
     */
    public static Builder over(RedisClusterClient client) {
        return new Builder(client, RedisAddress.of(Objects.requireNonNull(client, "client")));
    }

    /**
     * Over a server that is reached in another way than through Lettuce: for simulators and tests. {@code RedisNode} is in a
     * package that the module does not export, so this is not for applications.
     */
    @SuppressWarnings("exports")
    public static RedisBackend overNode(RedisNode node, Keys keys, Duration claimWindow, Duration commandTimeout) {
        return overTopology(new SingleServer(node), keys, claimWindow, commandTimeout);
    }

    /** As {@link #overNode}, for several servers. */
    @SuppressWarnings("exports")
    public static RedisBackend overTopology(
            Topology servers, Keys keys, Duration claimWindow, Duration commandTimeout) {
        return new RedisBackend(servers, keys, claimWindow, commandTimeout, null);
    }

    @Override
    public void open(Environment environment, Events events) {
        if (live != null) {
            throw new IllegalStateException("This backend belongs to a Holdfast already. Connect another one.");
        }
        Inbox inbox = new Inbox(environment, events, clocks, window, confirmed);
        HandOverWatch handOvers = new HandOverWatch(environment, window, this::lookAfterHandOver);
        QueuedClaimsCheck queuedClaims = new QueuedClaimsCheck(servers, keys, environment, events, inbox);
        Claims claims =
                new Claims(servers, keys, context, timeout, environment, clocks, inbox, handOvers, queuedClaims);
        RenewalRequests renewals = new RenewalRequests(servers, keys, environment);
        ServerWatch watch = new ServerWatch(servers, environment, events, clocks);
        live = new Live(environment, events, inbox, handOvers, queuedClaims, claims, renewals, watch);
        // Made anew with every subscription, from random numbers and from what the server gave its connection: of two
        // copies of one memory neither hears what is pushed to the other.
        servers.open(
                environment,
                new ServersListener(inbox, events),
                mark -> keys.inbox(Owner.random(environment.random(), mark).toString()));
    }

    private final class ServersListener implements Topology.Listener {
        private final Inbox inbox;
        private final Events events;

        ServersListener(Inbox inbox, Events events) {
            this.inbox = inbox;
            this.events = events;
        }

        @Override
        public void connected(RedisNode server) {
            live().watch().connected(server);
        }

        @Override
        public void reconnected(RedisNode server) {
            live().watch().connected(server);
            events.recheckAll("Redis at " + server.address() + " is back");
        }

        @Override
        public void notConnected(RedisNode server, Throwable why) {
            events.notice(BackendNotice.warning(server.address(), Failures.describe(why)));
        }

        @Override
        public void subscribed(String channel) {
            inbox.subscribed(channel);
        }

        @Override
        public void notSubscribed(Throwable why) {
            inbox.notSubscribed(why);
        }

        @Override
        public void message(String text) {
            inbox.message(text);
        }
    }

    @Override
    public long connectionMark() {
        return servers.mark();
    }

    @Override
    public Duration settling() {
        return timeout.plusNanos(Validity.driftNanos(timeout));
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    // ---- claims

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        live().watch().used();
        return live().claims().claim(claim, null);
    }

    @Override
    public CompletionStage<Answer> releaseAndClaim(Holding holding, Claim next) {
        return next.kind() == LockKind.LOCK
                ? live().claims().claim(next, holding.owner())
                : LockBackend.super.releaseAndClaim(holding, next);
    }

    @Override
    @SuppressWarnings("NullAway") // The only value of Void.
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        String entry = live().inbox().forget(owner);
        return servers.at(key, server -> {
                    String[] arguments = {context.at(server.identity()), owner.toString(), entry == null ? "" : entry};
                    return server.eval(Steps.of(key).withdraw, keys.ofClaim(key, slots), arguments);
                })
                .thenApply(reply -> {
                    Replies.Ended ended = Replies.Ended.of(reply);
                    live().handOvers().handedOver(Watched.text(key, ended.slot()), ended.handedOverMillis());
                    return null;
                });
    }

    // ---- tenures

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        live().watch().used();
        return live().renewals().renew(holdings);
    }

    @Override
    public int renewalGroup(String key) {
        return servers.group(key);
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        String key = holding.key();
        return servers.at(key, server -> {
                    String[] arguments = tenure(server, key, holding.owner(), holding.slot());
                    return server.eval(Steps.of(key).release, keys.ofTenure(key, holding.slot()), arguments);
                })
                .thenApply(reply -> {
                    Replies.Ended ended = Replies.Ended.of(reply);
                    live().handOvers().handedOver(Watched.text(key, holding.slot()), ended.handedOverMillis());
                    return ended.wasOurs();
                });
    }

    /** What most scripts need of a tenure. Only a semaphore has slots to name. */
    private String[] tenure(ScriptRunner server, String key, Owner owner, int slot) {
        String first = context.at(server.identity());
        return LockKey.kindOf(key) == LockKind.SEMAPHORE
                ? new String[] {first, owner.toString(), Integer.toString(slot)}
                : new String[] {first, owner.toString()};
    }

    @Override
    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        String key = holding.key();
        long millis = Wire.millisRoundedUp(keep);
        String beginning = Wire.beginning(holding.owner(), holding.lastToken());
        String[] arguments = {beginning, Long.toString(millis)};
        String[] all = keys.ofTenure(key, holding.slot());
        CompletionStage<List<Object>> answer = switch (LockKey.kindOf(key)) {
            case LOCK -> keepFor(key, Script.RELEASE_LATER, new String[] {all[0], all[1]}, arguments);
            case SEMAPHORE -> keepFor(key, Script.SEMAPHORE_RELEASE_LATER, new String[] {all[0], all[2]}, arguments);
            case READ_WRITE_LOCK ->
                keepFor(key, Script.RW_RELEASE_LATER, new String[] {all[0], all[1]}, new String[] {
                    arguments[0], arguments[1], holding.owner().toString()
                });
        };
        return answer.thenApply(reply -> {
            Replies.Kept kept = Replies.Kept.of(reply);
            if (kept.isWaitedFor()) {
                live().handOvers().freeAfter(Watched.text(key, holding.slot()), millis);
            }
            return kept.wasOurs();
        });
    }

    private CompletionStage<List<Object>> keepFor(String key, Script script, String[] all, String[] arguments) {
        return servers.at(key, server -> server.eval(script, all, arguments));
    }

    /** A window, or the time for which a lock was kept, should be over by now. */
    private CompletionStage<Long> lookAfterHandOver(String watched) {
        Watched what = Watched.parse(watched);
        return servers.at(what.key(), server -> {
                    String first = context.at(server.identity());
                    Steps steps = Steps.of(what.key());
                    String[] arguments = steps == Steps.OF_SEMAPHORES
                            ? new String[] {first, Integer.toString(what.slot())}
                            : new String[] {first};
                    return server.eval(steps.handOver, keys.ofTenure(what.key(), what.slot()), arguments);
                })
                .thenApply(reply -> Replies.HandedOver.of(reply).lookAgainMillis());
    }

    // ---- who holds what

    @Override
    public CompletionStage<List<LockState>> describe(String key) {
        return Description.of(servers, keys, key);
    }

    @Override
    public CompletionStage<List<LockState>> list(String keyPrefix, int limit) {
        return new Listing(servers, keys, keyPrefix, limit)
                .run(what -> live().events().notice(BackendNotice.warning(servers.address(), what)));
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return servers.at(key, server -> {
                    String[] arguments = tenure(server, key, owner, slot);
                    return server.eval(Steps.of(key).breakTenure, keys.ofTenure(key, slot), arguments);
                })
                .thenApply(reply -> {
                    Replies.Broken broken = Replies.Broken.of(reply);
                    live().handOvers().handedOver(Watched.text(key, slot), broken.handedOverMillis());
                    return broken.state(key, slot);
                });
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        // Of our own, so that whoever cancels it stops the search.
        CompletableFuture<List<Finding>> answer = new CompletableFuture<>();
        Diagnosis.of(servers, keys, live().environment(), answer::isDone).whenComplete((findings, failure) -> {
            if (failure == null) {
                answer.complete(findings);
            } else {
                answer.completeExceptionally(Failures.unwrap(failure));
            }
        });
        return answer;
    }

    private Live live() {
        return Objects.requireNonNull(live, "open() comes first");
    }

    @Override
    public void close() {
        if (live != null) {
            live.handOvers().close();
            live.queuedClaims().close();
            live.watch().close();
        }
        servers.close();
    }

    /** Collects what differs from the defaults. Not safe for use by many threads. */
    public static final class Builder {
        private final @Nullable AbstractRedisClient client;
        private final RedisAddress address;
        private Keys keys = Keys.standard();
        private Duration claimWindow = Duration.ofSeconds(2);
        private Duration commandTimeout = Duration.ofSeconds(2);

        private @Nullable Confirmation confirmation;

        private Builder(@Nullable AbstractRedisClient client, RedisAddress address) {
            this.client = client;
            this.address = address;
            this.confirmation = address.confirmation();
        }

        /** Keeps the locks of an application or environment apart from those of others on the same server. */
        public Builder namespace(String namespace) {
            this.keys = Keys.inNamespace(Objects.requireNonNull(namespace, "namespace"));
            return this;
        }

        /**
         * How long a waiter that was given the lock has to confirm it before it goes to the next; 2 s unless set. A process
         * that is paused for longer than this loses its turn.
         */
        public Builder claimWindow(Duration window) {
            this.claimWindow = requireSane(window, "claimWindow");
            return this;
        }

        /** How long the server may take to answer one request; 2 s unless set. */
        public Builder commandTimeout(Duration timeout) {
            this.commandTimeout = requireSane(timeout, "commandTimeout");
            return this;
        }

        /**
         * Lets every grant wait until so many replicas have received it. If they have not in time, the lock is given back, and the
         * caller is told how many had; it is tried again within the caller's limit. This narrows what a failover can lose, and does not
         * close it: see {@code docs/topologies.md}. Costs a connection more, and each grant the time to the replicas and back.
         *
         * @param within at most half of the {@link #commandTimeout}
         */
        public Builder waitForReplicas(int replicas, Duration within) {
            this.confirmation = confirmation(replicas, 1, false, within);
            return this;
        }

        /**
         * As {@link #waitForReplicas}, until the server and so many replicas have written it to their append-only files. Needs Redis 7.2
         * with {@code appendonly yes}.
         *
         * @param replicas may be zero: then the disk of the server itself is enough
         */
        public Builder waitForDisk(int replicas, Duration within) {
            this.confirmation = confirmation(replicas, 0, true, within);
            return this;
        }

        private static Confirmation confirmation(int replicas, int least, boolean onDisk, Duration within) {
            if (replicas < least || replicas > 100) {
                throw new IllegalArgumentException("replicas must be from " + least + " to 100: " + replicas);
            }
            return new Confirmation(replicas, onDisk, requireSane(within, "within"));
        }

        private static Duration requireSane(Duration duration, String what) {
            if (duration.toMillis() < 10 || duration.compareTo(Duration.ofMinutes(1)) > 0) {
                throw new IllegalArgumentException(what + " must be from 10 ms to 1 minute: " + duration);
            }
            return duration;
        }

        /**
         * Connects. Blocks until the server has answered, for a few timeouts at most.
         *
         * @throws LockUnavailableException if the server cannot be reached or does not accept us; the message says where and
         *     why
         */
        public RedisBackend connect() {
            if (confirmation != null && confirmation.within().multipliedBy(2).compareTo(commandTimeout) > 0) {
                throw new IllegalArgumentException(
                        "Grants may wait for replicas or disks for half of the commandTimeout ("
                                + commandTimeout.toMillis() + " ms) at most, because other claims wait behind them: "
                                + confirmation.within().toMillis() + " ms");
            }
            LettuceConnect connecting = new LettuceConnect(client, commandTimeout, keys, confirmation);
            Topology servers;
            try {
                servers = address.connect(connecting);
            } catch (IllegalArgumentException e) {
                // What was set is wrong, for example a certificate: no server was asked.
                throw e;
            } catch (RuntimeException e) {
                throw new LockUnavailableException(Failures.describe(e), e);
            }
            return new RedisBackend(servers, keys, claimWindow, commandTimeout, confirmation);
        }
    }
}
