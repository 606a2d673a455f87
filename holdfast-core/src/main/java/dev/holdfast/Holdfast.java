package dev.holdfast;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The entry point: one backend, its renewals and its waiters. Make one for a process and share it; it starts one thread
 * for time, and threads for your callbacks as they are needed.
 *
 * <pre>{@code
 * try (Holdfast holdfast = Holdfast.over(backend);
 *      Lease lease = holdfast.lock("invoice-42").acquire(Duration.ofSeconds(5))) {
 *     invoices.save(invoice, lease.token());      // the store refuses older tokens
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads.
 */
public final class Holdfast implements AutoCloseable {
    private static final String HEALTH_PROBE = "holdfast health probe";

    private final LockBackend backend;
    private final Engine engine;
    private final Terms defaults;
    private final @Nullable SystemEnvironment ownEnvironment;
    private final LockAdapter.ThreadHolds threadHolds = new LockAdapter.ThreadHolds();
    private final AtomicBoolean closing = new AtomicBoolean();

    private Holdfast(Builder builder) {
        backend = builder.backend;
        ownEnvironment = builder.environment == null ? new SystemEnvironment() : null;
        Environment environment =
                builder.environment == null ? Objects.requireNonNull(ownEnvironment) : builder.environment;
        Executor executor = builder.executor != null ? builder.executor : environment.blocking();
        Murmur log = new Murmur(environment);
        UserCode userCode = new UserCode(executor, log);
        Reports reports = new Reports(builder.listener, userCode, log);
        Settings settings =
                new Settings(builder.cohort, builder.maxLease, builder.unavailableAfter, builder.closeGrace);
        defaults = new Terms(builder.lease, true, null, Processes.self(builder.description));
        engine = new Engine(backend, environment, settings, reports, userCode);
        backend.open(environment, engine);
    }

    /** With all defaults. The backend belongs to the Holdfast from here on and is closed with it. */
    public static Holdfast over(LockBackend backend) {
        return builder(backend).build();
    }

    /** To set something. The backend belongs to the Holdfast from here on and is closed with it. */
    public static Builder builder(LockBackend backend) {
        return new Builder(backend);
    }

    /**
     * A handle for this name. Does no I/O.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 without control characters
     */
    public DistributedLock lock(String name) {
        return new DistributedLock(this, engine, Names.require(name), defaults);
    }

    /** What the backend promises. */
    public Guarantees guarantees() {
        return backend.guarantees();
    }

    /**
     * Who holds this name, as the backend sees it; empty if nobody does. Blocks for one answer of the backend.
     *
     * @throws LockUnavailableException if there was no answer
     */
    public Optional<LockState> inspect(String name) throws InterruptedException {
        Names.require(name);
        engine.requireOpen(name);
        return Blocking.await(backend.describe(name), engine.settings.unavailableAfter(), "describe '" + name + "'");
    }

    /**
     * The held locks whose names begin so (an empty prefix means all), ordered by name. Blocks.
     *
     * @throws LockUnavailableException if there was no answer
     */
    public List<LockState> list(String prefix, int limit) throws InterruptedException {
        Objects.requireNonNull(prefix, "prefix");
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1: " + limit);
        }
        engine.requireOpen(prefix);
        return Blocking.await(backend.list(prefix, limit), engine.settings.unavailableAfter(), "list locks");
    }

    /**
     * Ends somebody's tenure: exactly the one that was inspected, never its successor. The broken holder learns of it
     * with its next renewal at the latest; until then it believes itself the holder, so break only what is known to be
     * dead, or guard the resource by token. Blocks.
     *
     * @return what was ended; empty if that tenure had ended by itself
     * @throws LockUnavailableException if there was no answer; it may have been broken or not
     */
    public Optional<LockState> breakLock(LockState seen) throws InterruptedException {
        engine.requireOpen(seen.name());
        return Blocking.await(
                backend.breakLock(seen.name(), seen.owner()),
                engine.settings.unavailableAfter(),
                "break '" + seen.name() + "'");
    }

    /** What endangers the locks at this backend, with remedies. Blocks. */
    public List<Finding> diagnose() throws InterruptedException {
        engine.requireOpen("any");
        return Blocking.await(backend.diagnose(), engine.settings.unavailableAfter(), "examine itself");
    }

    /** Asks the backend one small question and waits for the answer, at most that long. For health endpoints. */
    public Health health(Duration limit) throws InterruptedException {
        Durations.requirePositive(limit, "limit");
        engine.requireOpen("any");
        long asked = engine.now();
        String detail = "";
        try {
            Blocking.await(backend.describe(HEALTH_PROBE), limit, "answer a health check");
        } catch (LockUnavailableException e) {
            detail = String.valueOf(e.getMessage());
        }
        return new Health(detail.isEmpty(), Duration.ofNanos(engine.now() - asked), engine.size(), detail);
    }

    /**
     * Ends everything that goes through this Holdfast. Whoever waits gets a {@link HoldfastClosedException}. Held leases
     * get the grace period to be closed by their holders; those still open after it are marked lost and left to expire,
     * because their holders may still be working. Then the backend is closed. Blocks for at most the grace period and
     * the time the backend takes. A second call does nothing.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        engine.close();
        backend.close();
        if (ownEnvironment != null) {
            ownEnvironment.close();
        }
    }

    LockAdapter.ThreadHolds threadHolds() {
        return threadHolds;
    }

    static String requireDescription(String description) {
        Objects.requireNonNull(description, "description");
        if (description.length() > 200 || description.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "A description has at most 200 characters and no control characters: operators read it in one line."
                            + " This one has " + description.length() + " characters.");
        }
        return description;
    }

    /** Collects what differs from the defaults. Not safe for use by many threads. */
    public static final class Builder {
        private final LockBackend backend;
        private Duration lease = Duration.ofSeconds(30);
        private Duration maxLease = Duration.ofSeconds(60);
        private Duration unavailableAfter = Duration.ofSeconds(10);
        private Duration closeGrace = Duration.ofSeconds(5);
        private int cohort = 16;
        private String description = "";
        private @Nullable LockListener listener;
        private @Nullable Executor executor;
        private @Nullable Environment environment;

        private Builder(LockBackend backend) {
            this.backend = Objects.requireNonNull(backend, "backend");
        }

        /** The lease of locks that say nothing else; 30 s unless set. */
        public Builder lease(Duration lease) {
            this.lease = Objects.requireNonNull(lease, "lease");
            return this;
        }

        /** The longest lease accepted; 60 s unless set. */
        public Builder maxLease(Duration maxLease) {
            this.maxLease = Durations.requirePositive(maxLease, "maxLease");
            return this;
        }

        /**
         * How many leases in a row a tenure serves inside this process before it goes to another one; 16 unless set. With
         * 1 every lease is claimed at the backend: fairer between processes, and much slower under contention.
         */
        public Builder cohort(int leases) {
            if (leases < 1 || leases > 1000) {
                throw new IllegalArgumentException("cohort must be from 1 to 1000 leases: " + leases);
            }
            this.cohort = leases;
            return this;
        }

        /** How long an unreachable backend is retried where the caller gave no limit; 10 s unless set. */
        public Builder unavailableAfter(Duration limit) {
            this.unavailableAfter = Durations.requirePositive(limit, "unavailableAfter");
            return this;
        }

        /** How long {@link Holdfast#close} waits for holders; 5 s unless set. */
        public Builder closeGrace(Duration grace) {
            this.closeGrace = Durations.requireNotNegative(grace, "closeGrace");
            return this;
        }

        /** What operators read beside host and process id, where a lock does not say more. */
        public Builder describedAs(String description) {
            this.description = requireDescription(description);
            return this;
        }

        /** Hears what happens to all locks. */
        public Builder listener(LockListener listener) {
            this.listener = Objects.requireNonNull(listener, "listener");
            return this;
        }

        /**
         * Where callbacks, the listener and completions of futures run. Unless set, on threads of our own that come and
         * go as needed. It is not shut down by us; keep it running until {@link Holdfast#close} has returned.
         */
        public Builder executor(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
            return this;
        }

        /** Time, threads and randomness: for tests and simulations. */
        public Builder environment(Environment environment) {
            this.environment = Objects.requireNonNull(environment, "environment");
            return this;
        }

        /** Opens the backend. */
        public Holdfast build() {
            Durations.requireLease(lease, maxLease);
            return new Holdfast(this);
        }
    }
}
