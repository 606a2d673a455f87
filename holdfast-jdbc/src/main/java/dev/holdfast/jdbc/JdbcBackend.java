package dev.holdfast.jdbc;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.LockState;
import dev.holdfast.jdbc.Steps.Sight;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Locks in tables of a relational database, on the clock of that database.
 *
 * <pre>{@code
 * JdbcBackend.createTables(dataSource);      // once; or hand META-INF/holdfast/postgresql.sql to a migration tool
 * Holdfast holdfast = Holdfast.over(JdbcBackend.over(dataSource));
 * }</pre>
 *
 * <p>Connections come from your DataSource, one for each step, and go back after it: none is kept while a lock is held or
 * waited for. PostgreSQL is the exception: while somebody waits, one connection listens. Steps never run in a
 * transaction of yours. The DataSource is not closed. Safe for use by many threads.
 */
public final class JdbcBackend implements LockBackend {
    /** A clock that was misjudged is read again with each refusal; once is enough unless the server is overloaded. */
    private static final int SENDS = 3;
    /** Listening, a waiter asks this often all the same: for the message that was lost, and to keep its place. */
    private static final Duration LISTENING_RECHECK = Duration.ofSeconds(5);

    private final ConnectionSource source;
    private final ConnectionSource listenSource;
    private final Dialect dialect;
    private final Steps steps;
    private final Reading reading;
    private final Errors errors;
    private final ServerClock clock;
    private final Duration commandTimeout;
    private final Pace pace;
    private final int connections;
    private final Guarantees guarantees;
    private @Nullable Opened opened;

    /** What there is only after open(). */
    private record Opened(
            Environment environment, Desk desk, @Nullable Inbox inbox, Chores chores) {}

    private JdbcBackend(Builder builder, Dialect dialect) {
        this.source = builder.source;
        this.listenSource = builder.listenSource == null ? builder.source : builder.listenSource;
        this.dialect = dialect;
        this.steps = dialect.steps(builder.tables);
        this.reading = new Reading(dialect, builder.tables);
        this.errors = new Errors(dialect, builder.tables);
        this.commandTimeout = builder.commandTimeout;
        this.clock = new ServerClock(Pace.micros(commandTimeout));
        this.pace = builder.pace;
        this.connections = builder.connections;
        // An acquire refuses to be executed later than the command timeout after it was sent, give or take the drift.
        this.guarantees = dialect.guarantees(commandTimeout.plusSeconds(1));
    }

    /**
     * Over the tables that {@link #createTables} makes. Blocks for one connection, to learn which database it is.
     *
     * @throws NotSentException if there was no connection; to begin without one, name the database with {@link
     *     Builder#database}
     */
    public static JdbcBackend over(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /** To set something. */
    public static Builder builder(DataSource dataSource) {
        return new Builder(ConnectionSource.of(Objects.requireNonNull(dataSource, "dataSource")));
    }

    /**
     * In a file that processes of this machine share; it is created if need be, with its tables. Needs {@code
     * org.xerial:sqlite-jdbc}. Blocks for a moment.
     */
    public static JdbcBackend sqlite(Path file) {
        SqliteFile source = new SqliteFile(file, Builder.DEFAULT_COMMAND_TIMEOUT.toMillis());
        return new Builder(source).database(Database.SQLITE).createTables().build();
    }

    /** Creates the tables that are missing. Blocks. Does nothing where they exist, so each process may call it. */
    public static void createTables(DataSource dataSource) {
        builder(dataSource).createTables().build();
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
        Inbox inbox = dialect instanceof PostgreSql
                ? new Inbox(listenSource, dialect, environment, events, commandTimeout)
                : null;
        Runnable starving = inbox == null ? () -> {} : inbox::makeRoom;
        Desk desk = new Desk(source, dialect, errors, environment, commandTimeout, connections, starving);
        opened = new Opened(environment, desk, inbox, new Chores(environment, desk, steps, reading));
    }

    private Opened opened() {
        return Objects.requireNonNull(opened, "open() comes first");
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
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return ask(claim, SENDS);
    }

    private CompletableFuture<Answer> ask(Claim claim, int sends) {
        Opened now = opened();
        String inbox = now.inbox() == null || !claim.queue() ? "" : now.inbox().address();
        long[] sent = new long[1];
        return now.desk()
                .soon(connection -> {
                    // Measure from before the send: the database starts the lease later than this.
                    sent[0] = now.environment().nanoTime();
                    return steps.acquire(connection, claim, clock.notAfterMicros(sent[0]), inbox);
                })
                .thenCompose(sight -> {
                    clock.sample(sent[0], sight.nowMicros());
                    if (sends > 1 && (sight.late() || sight.row() == null)) {
                        return ask(claim, sends - 1);
                    }
                    if (sight.late()) {
                        return tooLate();
                    }
                    now.chores().sweepNowAndThen();
                    if (sight.queued() && now.inbox() != null) {
                        now.inbox().waiting(claim.name(), !inbox.isEmpty());
                    }
                    return CompletableFuture.completedFuture(answer(claim, sight, sent[0], !inbox.isEmpty()));
                });
    }

    private static <T> CompletableFuture<T> tooLate() {
        return CompletableFuture.failedFuture(new NotSentException(
                "the database came to it only after the command timeout, " + SENDS + " times in a row", null));
    }

    private Answer answer(Claim claim, Sight sight, long sentNanos, boolean listening) {
        Row row = sight.row();
        if (row == null) {
            return new Answer.Busy(pace.shortest(), sight.queued(), null);
        }
        if (row.owner().equals(claim.owner().toString())) {
            return new Answer.Granted(Grant.full(row.token(), row.tokens(), Validity.until(sentNanos, claim.lease())));
        }
        long held = sight.nowMicros() - row.grantedMicros();
        long remaining = row.expiresMicros() - sight.nowMicros();
        Duration poll = pace.next(held, remaining, claim.lease());
        Duration recheck = listening && sight.queued()
                ? Duration.of(Math.min(remaining + 1_000, Pace.micros(LISTENING_RECHECK)), ChronoUnit.MICROS)
                : poll;
        return new Answer.Busy(recheck, sight.queued(), row.holder());
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        Opened now = opened();
        long[] sent = new long[1];
        return now.desk()
                .urgently(connection -> {
                    sent[0] = now.environment().nanoTime();
                    return steps.renew(connection, holdings);
                })
                .thenApply(renewed -> renewals(holdings, renewed, sent[0]));
    }

    private static List<Renewal> renewals(List<Holding> holdings, Set<String> renewed, long sentNanos) {
        List<Renewal> answers = new ArrayList<>(holdings.size());
        for (Holding holding : holdings) {
            answers.add(
                    renewed.contains(holding.owner().toString())
                            ? new Renewal.Renewed(Validity.until(sentNanos, holding.lease()))
                            : new Renewal.Gone());
        }
        return answers;
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return end(
                holding.name(),
                connection -> steps.release(
                        connection, holding.name(), holding.owner().toString(), holding.lastToken()));
    }

    @Override
    @SuppressWarnings("NullAway") // The only value of Void.
    public CompletionStage<Void> withdraw(String name, Owner owner) {
        return vacate(name, owner.toString(), 0).thenApply(released -> null);
    }

    private CompletableFuture<Boolean> vacate(String name, String owner, long token) {
        return end(name, connection -> steps.vacate(connection, name, owner, token));
    }

    private CompletableFuture<Boolean> end(String name, Desk.Step<Steps.Vacancy> step) {
        Opened now = opened();
        return now.desk().urgently(step).thenApply(vacancy -> {
            now.chores().watchWindow(name, vacancy.lentMicros());
            return vacancy.released();
        });
    }

    @Override
    public CompletionStage<Optional<LockState>> describe(String name) {
        return opened().desk().soon(connection -> reading.describe(connection, name));
    }

    @Override
    public CompletionStage<List<LockState>> list(String prefix, int limit) {
        return opened().desk().soon(connection -> reading.list(connection, prefix, limit));
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String name, Owner owner) {
        return describe(name).thenCompose(seen -> {
            Optional<LockState> theirs = seen.filter(state -> state.owner().equals(owner));
            return theirs.isEmpty()
                    ? CompletableFuture.completedFuture(theirs)
                    : vacate(name, owner.toString(), theirs.get().token().value())
                            .thenApply(ended -> ended ? theirs : Optional.empty());
        });
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return opened().desk().soon(dialect::diagnose);
    }

    @Override
    public void close() {
        if (opened != null) {
            if (opened.inbox() != null) {
                opened.inbox().close();
            }
            opened.desk().close();
        }
        source.close();
    }

    /** Collects what differs from the defaults. Not safe for use by many threads. */
    public static final class Builder {
        static final Duration DEFAULT_COMMAND_TIMEOUT = Duration.ofSeconds(5);

        private final ConnectionSource source;
        private @Nullable ConnectionSource listenSource;
        private @Nullable Database database;
        private Tables tables = new Tables(Tables.DEFAULT_PREFIX);
        private Duration commandTimeout = DEFAULT_COMMAND_TIMEOUT;
        private Pace pace = new Pace(Duration.ofMillis(10), Duration.ofSeconds(1));
        private int connections = 8;
        private boolean createTables;

        private Builder(ConnectionSource source) {
            this.source = source;
        }

        /** Which database it is; asked of a connection unless set. */
        public Builder database(Database database) {
            this.database = Objects.requireNonNull(database, "database");
            return this;
        }

        /** What table names begin with, a schema included if need be ({@code locks.app_}); {@code holdfast_} unless set. */
        public Builder tablePrefix(String prefix) {
            this.tables = new Tables(prefix);
            return this;
        }

        /** Creates missing tables in {@link #build}. */
        public Builder createTables() {
            this.createTables = true;
            return this;
        }

        /** How long a step may take, the wait for a connection included; 5 s unless set. */
        public Builder commandTimeout(Duration timeout) {
            if (timeout.compareTo(Duration.ofMillis(100)) < 0) {
                throw new IllegalArgumentException("commandTimeout must be at least 100 ms: " + timeout);
            }
            this.commandTimeout = timeout;
            return this;
        }

        /**
         * How often a waiter asks where nobody tells it: a lock that changes hands often at the shortest interval, one
         * held for long at the longest. 10 ms and 1 s unless set.
         */
        public Builder poll(Duration shortest, Duration longest) {
            this.pace = new Pace(shortest, longest);
            return this;
        }

        /** How many connections are in use at once, at most, the listening one not counted; 8 unless set. */
        public Builder connections(int most) {
            if (most < 1) {
                throw new IllegalArgumentException("connections must be at least 1: " + most);
            }
            this.connections = most;
            return this;
        }

        /**
         * Where the listening connection of PostgreSQL comes from, if not from the pool: for pools that cannot spare one,
         * and where a pooler between us and the database does not pass LISTEN on.
         */
        public Builder listenOn(DataSource dataSource) {
            this.listenSource = ConnectionSource.of(Objects.requireNonNull(dataSource, "dataSource"));
            return this;
        }

        /**
         * Blocks for one connection, unless the database was named and tables are not to be created.
         *
         * @throws NotSentException if there was no connection
         * @throws RefusedException if the database is not one we know, or the tables could not be created
         */
        public JdbcBackend build() {
            if (database != null && !createTables) {
                return new JdbcBackend(this, database.dialect());
            }
            Connection connection;
            try {
                connection = source.take();
            } catch (SQLException e) {
                throw new NotSentException("No connection to the database for locks: " + e.getMessage(), e);
            }
            try {
                try {
                    return new JdbcBackend(this, prepare(connection));
                } finally {
                    source.giveBack(connection);
                }
            } catch (SQLException e) {
                throw new RefusedException("The database for locks cannot be prepared: " + e.getMessage(), e);
            }
        }

        private Dialect prepare(Connection connection) throws SQLException {
            Dialect dialect = (database == null ? Database.of(connection) : database).dialect();
            if (createTables) {
                Session session = Session.prepare(connection, dialect, commandTimeout);
                for (String statement : tables.ddlStatements(dialect.ddlName())) {
                    Sql.execute(connection, statement);
                }
                session.restore();
            }
            return dialect;
        }
    }
}
