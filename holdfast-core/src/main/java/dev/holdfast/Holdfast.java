package dev.holdfast;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The entry point: makes locks that are kept by one backend. Make one for each process and share it. It starts one thread
 * for timers, one spare thread for callbacks that find no other, and threads for your callbacks as they are needed.
 *
 * <pre>{@code
 * try (Holdfast holdfast = Holdfast.over(backend);
 *      Lease lease = holdfast.lock("invoice-42").acquire(Duration.ofSeconds(5))) {
 *     fence.announce(lease.token());       // before the first read: from here on, older tokens are refused
 *     Invoice invoice = invoices.load(42);
 *     invoices.save(invoice.paid());       // checked by the same token
 * }
 * }</pre>
 *
 * <p>Safe for use by many threads.
 */
public final class Holdfast implements AutoCloseable {
    private static final String HEALTH_PROBE = "holdfast health probe";

    private final LockBackend backend;
    private final Engine engine;
    private final UserCode userCode;
    private final Terms defaults;
    private final @Nullable SystemEnvironment ownEnvironment;
    private final LockAdapter.ThreadHolds threadHolds = new LockAdapter.ThreadHolds();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final Set<ElectionState> elections = ConcurrentHashMap.newKeySet();

    private Holdfast(Builder builder) {
        backend = builder.backend;
        ownEnvironment = builder.environment == null ? new SystemEnvironment() : null;
        Environment environment =
                builder.environment == null ? Objects.requireNonNull(ownEnvironment) : builder.environment;
        RateLimitedLog log = new RateLimitedLog(environment);
        userCode = newUserCode(builder.executor, ownEnvironment, environment, log);
        Reports reports = new Reports(builder.listener, userCode, log, environment);
        Settings settings =
                new Settings(builder.cohort, builder.maxLease, builder.unavailableAfter, builder.closeGrace);
        defaults = new Terms(builder.lease, Processes.self(builder.description));
        engine = new Engine(backend, environment, settings, reports, userCode);
        try {
            backend.open(environment, engine);
        } catch (RuntimeException | Error e) {
            closeThreads();
            throw e;
        }
    }

    /** A simulator that owns all threads gets none from here unless its executor refuses. */
    private static UserCode newUserCode(
            @Nullable Executor executor, @Nullable SystemEnvironment own, Environment environment, RateLimitedLog log) {
        SpareThread spare = new SpareThread(environment, new Daemons("holdfast-spare"));
        if (executor != null || own != null) {
            spare.start();
        }
        if (executor != null) {
            return new UserCode(executor, spare, log);
        }
        return new UserCode(own == null ? environment.blocking() : own.userCode(), spare, log);
    }

    /** A Holdfast with all defaults. The backend belongs to it from here on, and is closed with it. */
    @CheckReturnValue
    public static Holdfast over(LockBackend backend) {
        return builder(backend).build();
    }

    /** Returns a builder with the defaults. The backend belongs to the Holdfast once it is built, and is closed with it. */
    public static Builder builder(LockBackend backend) {
        return new Builder(backend);
    }

    /**
     * A handle for this name. Does no I/O.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 without control characters
     */
    @CheckReturnValue
    public DistributedLock lock(String name) {
        return new DistributedLock(this, engine, Names.require(name), defaults);
    }

    /**
     * A handle for several names that are held together: all or none. Does no I/O.
     *
     * @throws IllegalArgumentException if there is no name, more than 100, one of them twice, or one that is not 1 to 512 bytes of
     *     UTF-8 without control characters
     */
    @CheckReturnValue
    public MultiLock lockAll(String... names) {
        return lockAll(Arrays.asList(names));
    }

    /**
     * A handle for several names that are held together: all or none. Does no I/O.
     *
     * @throws IllegalArgumentException if there is no name, more than 100, one of them twice, or one that is not 1 to 512 bytes of
     *     UTF-8 without control characters
     */
    @CheckReturnValue
    public MultiLock lockAll(List<String> names) {
        return new MultiLock(engine, NameSet.require(names), defaults);
    }

    /**
     * A handle for a semaphore: at most so many leases at a time, each on a slot of its own. Does no I/O.
     *
     * @param permits from 1 to 1000. Clients may differ: a slot only goes to a waiter whose number is above it
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 without control characters, or the number of
     *     permits is not from 1 to 1000
     * @throws UnsupportedOperationException if the backend has no semaphores: see {@link Guarantees#offers}
     */
    @CheckReturnValue
    public DistributedSemaphore semaphore(String name, int permits) {
        String key = key(LockKey.semaphore(Names.require(name)));
        return new DistributedSemaphore(
                this, engine, key, defaults.ofSemaphore(DistributedSemaphore.requirePermits(permits)));
    }

    /**
     * A handle for a read-write lock. Does no I/O.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 without control characters
     * @throws UnsupportedOperationException if the backend has no read-write locks: see {@link Guarantees#offers}
     */
    @CheckReturnValue
    public DistributedReadWriteLock readWriteLock(String name) {
        return new DistributedReadWriteLock(this, engine, key(LockKey.readWriteLock(Names.require(name))), defaults);
    }

    private String key(LockKey wanted) {
        Guarantees guarantees = backend.guarantees();
        if (!guarantees.offers(wanted.kind())) {
            throw new UnsupportedOperationException("There can be no " + wanted + " at this backend: "
                    + guarantees.refusal(wanted.kind()) + ". Nothing was sent.");
        }
        return wanted.encoded();
    }

    /**
     * An election of this name. Does no I/O.
     *
     * @throws IllegalArgumentException if the name is not 1 to 512 bytes of UTF-8 without control characters
     */
    @CheckReturnValue
    public LeaderElection election(String name) {
        return new LeaderElection(this, engine, Names.require(name), defaults, null);
    }

    /** Tells it when this is closed, as long as it takes part. */
    void takePart(ElectionState election) {
        engine.requireOpen(election.name);
        elections.add(election);
        var unused = election.over().whenComplete((nothing, failure) -> elections.remove(election));
        election.begin();
        if (closing.get()) {
            election.close();
        }
    }

    /** What the backend promises: what exclusion survives, where tokens come from, how waiters are served. */
    public Guarantees guarantees() {
        return backend.guarantees();
    }

    /**
     * Who holds this lock, as the backend sees it; empty if nobody does. Blocks until the backend has answered.
     *
     * @throws LockUnavailableException if there was no answer
     */
    @CheckReturnValue
    public Optional<LockState> inspect(String name) throws InterruptedException {
        return inspect(LockKey.lock(name)).stream().findFirst();
    }

    /**
     * Who holds this, as the backend sees it: of a semaphore one state for each slot that is held, of a read-write lock the writer,
     * or one state for each process that reads. Blocks until the backend has answered.
     *
     * @throws LockUnavailableException if there was no answer
     */
    @CheckReturnValue
    public List<LockState> inspect(LockKey lock) throws InterruptedException {
        Names.require(lock.name());
        String key = lock.encoded();
        engine.requireOpen(key);
        return guarantees().offers(lock.kind())
                ? Blocking.await(backend.describe(key), engine.settings.unavailableAfter(), "describe " + lock)
                : List.of();
    }

    /**
     * The holders of all locks, semaphores and read-write locks whose names begin with the prefix (all if it is empty), ordered by
     * name, then kind. Blocks until the backend has answered. If the call is interrupted, or there is no answer in time, the
     * backend stops its work.
     *
     * @param limit the largest number of holders to return
     *
     * @throws LockUnavailableException if there was no answer
     */
    @CheckReturnValue
    public List<LockState> list(String prefix, int limit) throws InterruptedException {
        Objects.requireNonNull(prefix, "prefix");
        if (limit < 1) {
            throw new IllegalArgumentException("limit must be at least 1: " + limit);
        }
        engine.requireOpen("");
        List<LockState> found = new ArrayList<>();
        for (String keyPrefix : keyPrefixes(prefix)) {
            found.addAll(Blocking.awaitOrCancel(
                    backend.list(keyPrefix, limit), engine.settings.unavailableAfter(), "list locks"));
        }
        // Each answer is ordered; the sort is stable, so holders of one key stay as the backend ordered them.
        found.sort(Comparator.comparing(LockState::name)
                .thenComparing(state -> state.key().kind()));
        return List.copyOf(found.subList(0, Math.min(limit, found.size())));
    }

    /** What the keys begin with whose names begin with this. An empty text finds all kinds in one request. */
    private List<String> keyPrefixes(String prefix) {
        if (prefix.isEmpty()) {
            return List.of("");
        }
        return Arrays.stream(LockKind.values())
                .filter(kind -> guarantees().offers(kind))
                .map(kind -> new LockKey(kind, prefix).encoded())
                .toList();
    }

    /**
     * Ends somebody's tenure: exactly the one that was inspected, never its successor. The broken holder learns of it
     * with its next renewal at the latest; until then it believes itself the holder, so break only what is known to be
     * dead, or guard the resource by token. Blocks.
     *
     * <p>It is recorded: a line in the log, at level INFO, says who broke what, and the {@link LockListener} hears it.
     *
     * @return what was ended; empty if that tenure had ended by itself
     * @throws LockUnavailableException if there was no answer; it may have been broken or not
     */
    public Optional<LockState> breakLock(LockState seen) throws InterruptedException {
        String key = seen.key().encoded();
        engine.requireOpen(key);
        Holder by = defaults.holder();
        try {
            Optional<LockState> ended = Blocking.await(
                    backend.breakLock(key, seen.tenure().owner(), seen.slot()),
                    engine.settings.unavailableAfter(),
                    "break " + seen.key());
            ended.ifPresent(state -> engine.reports.broken(state, by));
            return ended;
        } catch (LockUnavailableException | InterruptedException e) {
            engine.reports.breakUnconfirmed(seen, by, e);
            throw e;
        }
    }

    /**
     * Looks for what endangers the locks at this backend: settings of the server, missing rights, clocks. Blocks until the
     * backend has looked.
     *
     * @throws LockUnavailableException if there was no answer
     */
    @CheckReturnValue
    public List<Finding> diagnose() throws InterruptedException {
        engine.requireOpen("");
        return Blocking.awaitOrCancel(backend.diagnose(), engine.settings.unavailableAfter(), "examine itself");
    }

    /** How many leases are open and how many callers wait, in this process. Does no I/O; looks at each name in use. */
    @CheckReturnValue
    public Activity activity() {
        return engine.activity();
    }

    /** Asks the backend one small question and waits for the answer, at most that long. For health endpoints. */
    @CheckReturnValue
    public Health health(Duration limit) throws InterruptedException {
        Durations.requirePositive(limit, "limit");
        engine.requireOpen("");
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
     * Ends everything that goes through this Holdfast. Whoever waits gets a {@link HoldfastClosedException}. Candidacies are
     * closed, and the tasks of leaders told to stop. Held leases get the grace period to be closed by their holders; those still open after it are marked lost and left to expire,
     * because their holders may still be working. Then the backend is closed. Blocks for at most the grace period and
     * the time the backend takes. A second call does nothing.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        elections.forEach(ElectionState::close);
        engine.close();
        backend.close();
        closeThreads();
    }

    private void closeThreads() {
        if (ownEnvironment != null) {
            ownEnvironment.close();
        }
        userCode.close();
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

        /** The lease of locks that do not set another; 30 s unless set. */
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

        /** How long a call without a limit keeps trying while the backend cannot be reached; 10 s unless set. */
        public Builder unavailableAfter(Duration limit) {
            this.unavailableAfter = Durations.requirePositive(limit, "unavailableAfter");
            return this;
        }

        /** How long {@link Holdfast#close} waits for open leases to be closed; 5 s unless set. */
        public Builder closeGrace(Duration grace) {
            this.closeGrace = Durations.requireNotNegative(grace, "closeGrace");
            return this;
        }

        /** What operators read beside host and process id. A lock can set its own text. */
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
         * Where callbacks, the listener and completions of futures run. Unless set, Holdfast starts at most 64 threads for
         * them, as needed; what finds no thread waits its turn. Set an executor if callbacks block, above all if they wait
         * for each other. It must run whatever it accepts, on a thread of its own. What it refuses runs on one spare thread.
         * Holdfast does not shut it down; keep it running until {@link Holdfast#close} has returned.
         */
        public Builder executor(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
            return this;
        }

        /** Replaces clock, timers, threads and random numbers; for tests, see {@code dev.holdfast.testing.ManualTime}. */
        public Builder environment(Environment environment) {
            this.environment = Objects.requireNonNull(environment, "environment");
            return this;
        }

        /** Opens the backend. Throws what the backend throws if that fails, or if a thread cannot be started. */
        @CheckReturnValue
        public Holdfast build() {
            Durations.requireLease(lease, maxLease);
            return new Holdfast(this);
        }
    }
}
