package dev.holdfast.jdbc;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.jdbc.connection.ConnectionMarks;
import dev.holdfast.jdbc.connection.ConnectionSource;
import dev.holdfast.jdbc.connection.DataSourceConnections;
import dev.holdfast.jdbc.connection.UrlConnections;
import dev.holdfast.jdbc.file.LostStores;
import dev.holdfast.jdbc.file.SqliteConnections;
import dev.holdfast.jdbc.sql.PollIntervals;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Renewal;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Locks in tables of a relational database, on the clock of that database.
 *
 * <pre>{@code
 * JdbcBackend.createTables(dataSource);      // once; or hand META-INF/holdfast/postgresql.sql to a migration tool
 * Holdfast holdfast = Holdfast.over(JdbcBackend.over(dataSource).connect());
 * }</pre>
 *
 * <p>Each step takes one connection and gives it back: none is kept while a lock is held or waited for. PostgreSQL is the
 * exception: while somebody waits, one connection listens. Steps never run in a transaction of yours. {@link #connect} and
 * {@link #sqlite} need no DataSource. Safe for use by many threads.
 */
public final class JdbcBackend implements LockBackend {
    private final Setup setup;
    private final Guarantees guarantees;
    private @Nullable Components opened;

    private JdbcBackend(Setup setup) {
        this.setup = setup;
        this.guarantees = setup.dialect().guarantees();
    }

    /**
     * Connects with all defaults, by a JDBC URL. Blocks until the database has answered.
     *
     * @param url {@code jdbc:postgresql://host/database?user=…}, {@code jdbc:mariadb:…}, {@code jdbc:mysql:…}, {@code
     *     jdbc:h2:…} or {@code jdbc:sqlite:file}; its driver must be on the class path
     * @throws LockUnavailableException if the database cannot be reached or does not accept us. Outages later on heal by
     *     themselves
     * @throws IllegalArgumentException if the database is not one of {@link Database}
     */
    public static JdbcBackend connect(String url) {
        return builder(url).connect();
    }

    /**
     * Returns a builder with the defaults, for a backend with connections of its own. They are kept open, at most as many as
     * {@link Builder#connections} says, and closed with the backend.
     *
     * @param url as for {@link #connect}
     */
    public static Builder builder(String url) {
        Builder builder = new Builder(tables -> connections(url, tables));
        Database.ofUrl(url).ifPresent(builder::database);
        return builder;
    }

    private static ConnectionSource connections(String url, Tables tables) {
        Path file = SqliteConnections.fileOf(url);
        return file == null ? new UrlConnections(url) : new SqliteConnections(file, tables);
    }

    /** Returns a builder with the defaults, for a backend that takes its connections from this DataSource and never closes it. */
    public static Builder over(DataSource dataSource) {
        Objects.requireNonNull(dataSource, "dataSource");
        return new Builder(tables -> new DataSourceConnections(dataSource));
    }

    /**
     * Opens a file that processes of this machine share. It is created if need be, with its tables, readable and writable for
     * this user alone. Needs {@code org.xerial:sqlite-jdbc}. Blocks for a moment; if others use the file so much that it
     * cannot be prepared at once, the first acquisition does that, within the time that its caller waits.
     *
     * @throws LockUnavailableException if the file cannot be used: no permission, not a database, a directory or a device,
     *     tables of somebody else, more than one name (hard links)
     */
    public static JdbcBackend sqlite(Path file) {
        return new Builder(tables -> new SqliteConnections(file, tables))
                .database(Database.SQLITE)
                .createTables()
                .connect();
    }

    /**
     * Creates the tables that are missing. Blocks. Does nothing where they exist, so each process may call it.
     *
     * @throws LockUnavailableException if there was no connection, or the tables could not be created, or there are tables of
     *     another version
     */
    public static void createTables(DataSource dataSource) {
        over(dataSource).createTables().connect();
    }

    /** What {@link #createTables} would run. Does no I/O. */
    public static String ddl(Database database) {
        return new Tables(Tables.DEFAULT_PREFIX).ddl(database.dialect().ddlName());
    }

    @Override
    public void open(Environment environment, Events events) {
        if (opened != null) {
            throw new IllegalStateException("This backend belongs to a Holdfast already: make one for each.");
        }
        opened = new Components(setup, environment, events);
    }

    private Components opened() {
        return Objects.requireNonNull(opened, "open() comes first");
    }

    @Override
    public Duration settling() {
        // An acquire refuses to be executed later than the command timeout after it was sent, give or take the drift.
        return setup.commandTimeout().plusSeconds(1);
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    @Override
    public boolean blocks() {
        return true;
    }

    @Override
    public long connectionMark() {
        ConnectionMarks marks = setup.marks();
        return marks == null ? 0 : marks.current();
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return opened().acquiring().ask(claim);
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        return opened().held().renew(holdings);
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return opened().held().release(holding);
    }

    @Override
    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        return opened().held().releaseLater(holding, keep);
    }

    @Override
    @SuppressWarnings("NullAway") // The only value of Void.
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        return opened().held().vacate(key, owner, 0).thenApply(released -> null);
    }

    @Override
    public CompletionStage<List<LockState>> describe(String key) {
        return LostStores.nothingIfGone(
                opened().executor().submit(connection -> setup.queries().describe(connection, key)), List.of());
    }

    @Override
    public CompletionStage<List<LockState>> list(String keyPrefix, int limit) {
        AtomicBoolean stopped = new AtomicBoolean();
        CompletableFuture<List<LockState>> found = opened().executor()
                .submit(connection -> setup.queries().list(connection, keyPrefix, limit, stopped::get));
        CompletableFuture<List<LockState>> answer = LostStores.nothingIfGone(found, List.of());
        // When the answer is cancelled, the remaining rows are not read.
        var unused = answer.whenComplete((states, failure) -> {
            stopped.set(true);
            found.cancel(false);
        });
        return answer;
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        CompletableFuture<List<LockState>> found = LostStores.nothingIfGone(
                opened().executor().submit(connection -> setup.queries().describeToBreak(connection, key)), List.of());
        return found.thenCompose(seen -> {
            Optional<LockState> theirs = seen.stream()
                    .filter(state -> state.tenure().isOf(owner) && state.slot() == slot)
                    .findFirst();
            return theirs.isEmpty()
                    ? CompletableFuture.completedFuture(theirs)
                    : opened().held()
                            .vacate(key, owner, theirs.get().tokens().last().value())
                            .thenApply(ended -> ended ? theirs : Optional.empty());
        });
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return opened().executor().submit(connection -> {
            List<Finding> findings = new ArrayList<>(setup.source().findings());
            findings.addAll(setup.version().findings(connection));
            findings.addAll(setup.dialect().diagnose(connection));
            return findings;
        });
    }

    /** Returns when every connection is back where it came from, and after some seconds at the latest. */
    @Override
    public void close() {
        if (opened != null) {
            opened.close();
        }
        setup.listenSource().close();
        setup.source().close();
    }

    /** Settings of a backend. Not safe for use by many threads. */
    public static final class Builder {
        static final Duration DEFAULT_COMMAND_TIMEOUT = Duration.ofSeconds(5);

        private final Function<Tables, ConnectionSource> source;
        private @Nullable DataSource listenOn;
        private @Nullable Database database;
        private Tables tables = new Tables(Tables.DEFAULT_PREFIX);
        private Duration commandTimeout = DEFAULT_COMMAND_TIMEOUT;
        private @Nullable PollIntervals poll;
        private int connections = 8;
        private boolean createTables;

        private Builder(Function<Tables, ConnectionSource> source) {
            this.source = source;
        }

        /** Which database it is. Unless set, {@link #connect} asks a connection. */
        public Builder database(Database database) {
            this.database = Objects.requireNonNull(database, "database");
            return this;
        }

        /** The prefix of the table names, with a schema if needed ({@code locks.app_}). Default: {@code holdfast_}. */
        public Builder tablePrefix(String prefix) {
            this.tables = new Tables(prefix);
            return this;
        }

        /** Creates missing tables in {@link #connect}. */
        public Builder createTables() {
            this.createTables = true;
            return this;
        }

        /** How long a step may take, including the wait for a connection. Default: 5 s. */
        public Builder commandTimeout(Duration timeout) {
            if (timeout.compareTo(Duration.ofMillis(100)) < 0) {
                throw new IllegalArgumentException("commandTimeout must be at least 100 ms: " + timeout);
            }
            this.commandTimeout = timeout;
            return this;
        }

        /**
         * How often the first waiter asks for the lock: at the shortest interval while the lock changes hands often, at the
         * longest while one owner keeps it. Waiters behind it ask less often. Default: 10 ms and 1 s; for SQLite 25 ms and
         * 250 ms, or 4 ms and 100 ms where waiters cannot be told. PostgreSQL polls only while it cannot listen.
         */
        public Builder poll(Duration shortest, Duration longest) {
            this.poll = new PollIntervals(shortest, longest);
            return this;
        }

        /** How many connections may be in use at once, not counting the listening one. Default: 8. */
        public Builder connections(int most) {
            if (most < 1) {
                throw new IllegalArgumentException("connections must be at least 1: " + most);
            }
            this.connections = most;
            return this;
        }

        /**
         * Another DataSource for the listening connection of PostgreSQL: for pools that have no connection to spare, and for
         * poolers that do not support LISTEN.
         */
        public Builder listenOn(DataSource dataSource) {
            this.listenOn = Objects.requireNonNull(dataSource, "dataSource");
            return this;
        }

        /**
         * Takes a connection, learns from it which database it is unless that is known, creates missing tables if asked to,
         * and looks whether tables that are there are of this version. Blocks.
         *
         * @throws LockUnavailableException if there was no connection, or the database refused; its cause says whether
         *     trying again may help ({@link NotSentException}) or not ({@link RefusedException})
         * @throws IllegalArgumentException if the database is not one of {@link Database}
         */
        public JdbcBackend connect() {
            ConnectionSource plain = source.apply(tables);
            try {
                return backend(plain, Preparation.of(plain, database, tables, createTables, commandTimeout));
            } catch (NotSentException | RefusedException | UncheckedIOException e) {
                plain.close();
                throw new LockUnavailableException(Failures.describe(e), e);
            }
        }

        /**
         * For a process that must start while the database is down: does no I/O, and the first acquisition connects.
         *
         * @throws IllegalStateException if neither {@link #database} nor a URL says which database it is, or if tables are to
         *     be created
         */
        public JdbcBackend build() {
            if (database == null || createTables) {
                throw new IllegalStateException(
                        (database == null ? "The database is not known" : "Tables cannot be created")
                                + " without a connection. Call connect(), or "
                                + (database == null ? "name it with database()" : "create them beforehand"));
            }
            return backend(source.apply(tables), Preparation.Result.of(database, tables));
        }

        private JdbcBackend backend(ConnectionSource plain, Preparation.Result prepared) {
            ConnectionSource listen = listenOn == null ? null : new DataSourceConnections(listenOn);
            return new JdbcBackend(Setup.of(plain, listen, prepared, tables, commandTimeout, poll, connections));
        }
    }
}
