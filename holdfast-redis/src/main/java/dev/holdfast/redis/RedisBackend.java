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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Locks in one Redis server. Two connections, whatever the number of locks: one for commands, one on which the server
 * tells this process that a lock it waits for is now its own.
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.over(RedisBackend.connect("redis://localhost:6379"));
 * }</pre>
 *
 * <p>Mutual exclusion holds as long as the server keeps its memory: see {@code docs/redis.md} for restarts, failover and
 * eviction. After an outage the connections heal by themselves, waiters go on waiting, and every lease is checked at once.
 */
public final class RedisBackend implements LockBackend {
    private static final Renewal GONE = new Renewal.Gone();

    private final RedisNode node;
    private final Keys keys;
    private final Duration timeout;
    private final Duration window;
    private final Context context;
    private final Guarantees guarantees;
    private final ServerClock clock = new ServerClock();
    private @Nullable Live live;

    /** What exists once core has given us time and events. */
    private record Live(Environment environment, Inbox inbox, Watches watches, Claims claims) {}

    RedisBackend(RedisNode node, Keys keys, Duration window, Duration timeout) {
        this.node = node;
        this.keys = keys;
        this.timeout = timeout;
        this.window = window;
        this.context = Context.passing(window);
        this.guarantees = new Guarantees(
                "crashes and pauses of clients, and a broken network; not a server that loses its memory",
                "a counter per bucket at the server, never behind the server's clock",
                Waking.HAND_OVER,
                true,
                timeout.plusNanos(Validity.driftNanos(timeout)));
    }

    /**
     * Connects with all defaults. Blocks until the server has answered, for a few seconds at most.
     *
     * @param url {@code redis://host:6379}, {@code rediss://user:password@host:6379} for TLS
     * @throws LockUnavailableException if the server cannot be reached or does not accept us; the message
     *     says where and why. Outages later on heal by themselves
     */
    public static RedisBackend connect(String url) {
        return builder(url).connect();
    }

    /** To set something. */
    public static Builder builder(String url) {
        return new Builder(url);
    }

    @Override
    public void open(Environment environment, Events events) {
        if (live != null) {
            throw new IllegalStateException("This backend belongs to a Holdfast already. Connect another one.");
        }
        String channel = keys.inbox(Owner.random(environment.random()).toString());
        Inbox inbox = new Inbox(environment, events, clock, channel);
        Watches watches = new Watches(environment, window, this::lookAfterHandOver);
        Claims claims = new Claims(node, keys, context, timeout, environment, clock, inbox, watches);
        live = new Live(environment, inbox, watches, claims);
        node.open(environment, new Ears(inbox, events), channel);
        sampleTime();
    }

    private final class Ears implements RedisNode.Listener {
        private final Inbox inbox;
        private final Events events;

        Ears(Inbox inbox, Events events) {
            this.inbox = inbox;
            this.events = events;
        }

        @Override
        public void reconnected() {
            sampleTime();
            events.recheckAll("Redis at " + node.address() + " is back");
        }

        @Override
        public void subscribed() {
            inbox.subscribed();
        }

        @Override
        public void notSubscribed(Throwable why) {
            inbox.notSubscribed(why);
        }

        @Override
        public void message(String text) {
            inbox.message(text);
        }

        @Override
        public void disturbed(String what) {
            events.disturbed(node.address(), what);
        }
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    // ---- claims

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return live().claims().claim(claim, null);
    }

    @Override
    public CompletionStage<Answer> releaseAndClaim(Holding holding, Claim next) {
        return live().claims().claim(next, holding.owner());
    }

    @Override
    @SuppressWarnings("NullAway") // The only value of Void.
    public CompletionStage<Void> withdraw(String name, Owner owner) {
        String entry = live().inbox().forget(owner);
        String[] arguments = {context.at(node.identity()), owner.toString(), entry == null ? "" : entry};
        return node.eval(Script.WITHDRAW, keys.of(name), arguments).thenApply(reply -> {
            live().watches().lent(name, Claims.number(reply, 1));
            return null;
        });
    }

    // ---- tenures

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        if (holdings.isEmpty()) {
            return CompletableFuture.completedStage(List.of());
        }
        String[] locks = new String[holdings.size()];
        String[] arguments = new String[2 * locks.length];
        for (int i = 0; i < locks.length; i++) {
            Holding holding = holdings.get(i);
            locks[i] = keys.lock(holding.name());
            arguments[2 * i] = Wire.beginning(holding.owner(), holding.lastToken());
            arguments[2 * i + 1] = Long.toString(holding.lease().toMillis());
        }
        long sent = live().environment().nanoTime();
        return node.eval(Script.RENEW, locks, arguments).thenApply(reply -> {
            List<Renewal> renewals = new ArrayList<>(locks.length);
            for (int i = 0; i < locks.length; i++) {
                Duration lease = holdings.get(i).lease();
                renewals.add(Claims.number(reply, i) == 1 ? new Renewal.Renewed(Validity.until(sent, lease)) : GONE);
            }
            return renewals;
        });
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        String[] arguments = {context.at(node.identity()), holding.owner().toString()};
        return node.eval(Script.RELEASE, keys.of(holding.name()), arguments).thenApply(reply -> {
            live().watches().lent(holding.name(), Claims.number(reply, 1));
            return Claims.number(reply, 0) == 1;
        });
    }

    /** A window should be over by now. */
    private CompletionStage<Long> lookAfterHandOver(String name) {
        String[] arguments = {context.at(node.identity())};
        return node.eval(Script.HANDOVER, keys.of(name), arguments).thenApply(reply -> Claims.number(reply, 1));
    }

    // ---- who holds what

    @Override
    public CompletionStage<Optional<LockState>> describe(String name) {
        return Listing.describe(node, keys, List.of(name))
                .thenApply(states -> states.isEmpty() ? Optional.empty() : Optional.of(states.get(0)));
    }

    @Override
    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return new Listing(node, keys, prefix, limit).run();
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String name, Owner owner) {
        String[] arguments = {context.at(node.identity()), owner.toString()};
        return node.eval(Script.BREAK, keys.of(name), arguments).thenApply(reply -> {
            live().watches().lent(name, Claims.number(reply, 3));
            return Listing.state(name, reply);
        });
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return Diagnosis.of(node, live().environment());
    }

    // ---- small things

    /** The first sample on a connection. Until it is here, an acquire brings one and is sent again. */
    private void sampleTime() {
        String runId = node.identity().runId();
        long sent = live().environment().nanoTime();
        var unused = node.ask("TIME").whenComplete((time, failure) -> {
            if (failure == null) {
                long micros = Long.parseLong(Claims.text(time, 0)) * 1_000_000 + Long.parseLong(Claims.text(time, 1));
                clock.sample(runId, sent, live().environment().nanoTime(), micros);
            }
        });
    }

    private Live live() {
        return Objects.requireNonNull(live, "open() comes first");
    }

    @Override
    public void close() {
        if (live != null) {
            live.watches().close();
        }
        node.close();
    }

    /** Collects what differs from the defaults. Not safe for use by many threads. */
    public static final class Builder {
        private final String url;
        private Keys keys = Keys.standard();
        private Duration claimWindow = Duration.ofSeconds(2);
        private Duration commandTimeout = Duration.ofSeconds(2);
        private @Nullable RedisClient client;

        private Builder(String url) {
            this.url = Objects.requireNonNull(url, "url");
        }

        /**
         * Uses the threads of a client you have, and what it says about sockets and TLS. Its timeouts, codecs and reconnection
         * do not matter here, and it is never closed by us.
         */
        public Builder client(RedisClient client) {
            this.client = Objects.requireNonNull(client, "client");
            return this;
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
            LettuceNode node = LettuceClients.node(client, url, commandTimeout, keys);
            try {
                node.connect();
            } catch (RuntimeException e) {
                node.close();
                throw new LockUnavailableException(String.valueOf(e.getMessage()), e);
            }
            return new RedisBackend(node, keys, claimWindow, commandTimeout);
        }
    }
}
