package dev.holdfast.jdbc.wakeup;

import dev.holdfast.BackendNotice;
import dev.holdfast.jdbc.connection.BorrowedConnection;
import dev.holdfast.jdbc.connection.ConnectionMarks;
import dev.holdfast.jdbc.connection.ConnectionSource;
import dev.holdfast.jdbc.connection.Errors;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Owner;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The one connection that listens, while somebody waits. Only the process whose turn it is is told, on a channel of
 * its own. Without this connection waiters poll: slower, and nothing else.
 */
public final class ListeningConnection implements Inbox {
    /** How soon the thread notices that it is to stop. Costs the database nothing. */
    private static final int LOOK_UP_MILLIS = 200;
    /** A connection that died without a word must be found out. */
    private static final long PROBE_NANOS = 10_000_000_000L;
    /** After the last waiter the connection goes back to the pool. */
    private static final long LINGER_NANOS = 30_000_000_000L;

    private static final long FIRST_PAUSE_NANOS = 500_000_000;
    private static final long LONGEST_PAUSE_NANOS = 30_000_000_000L;
    /** A pool too small to spare a connection will still be too small in a while. */
    private static final long STARVED_PAUSE_NANOS = 60_000_000_000L;

    private final ConnectionSource source;
    private final Environment environment;
    private final Events events;
    private final Dialect dialect;
    private final Duration commandTimeout;
    private final ConnectionMarks marks;

    private final AtomicBoolean running = new AtomicBoolean();
    private final Queue<String> unaddressed = new ConcurrentLinkedQueue<>();
    // Where we listen; empty if we do not. A name of its own for each connection, because whoever is restored from a
    // copy of
    // this process must not go on listening under the same one.
    private volatile String channel = "";
    private volatile boolean lost;
    private volatile boolean starved;
    private volatile boolean closed;
    private volatile long wantedNanos;
    private volatile long pausedUntilNanos;
    private volatile long pauseNanos = FIRST_PAUSE_NANOS;

    public ListeningConnection(
            ConnectionSource source,
            Dialect dialect,
            Environment environment,
            Events events,
            Duration commandTimeout,
            ConnectionMarks marks) {
        this.source = source;
        this.dialect = dialect;
        this.environment = environment;
        this.events = events;
        this.commandTimeout = commandTimeout;
        this.marks = marks;
        this.pausedUntilNanos = environment.nanoTime();
    }

    @Override
    public String address() {
        return channel;
    }

    private boolean isListening() {
        return !channel.isEmpty();
    }

    @Override
    public void waiting(String name, boolean addressed) {
        wantedNanos = environment.nanoTime();
        if (addressed) {
            return;
        }
        unaddressed.add(name);
        start();
        if (isListening() || !running.get()) {
            readdress();
        }
    }

    /** Where we do not listen they poll anyway, and need no hint. */
    private void readdress() {
        for (String name = unaddressed.poll(); name != null; name = unaddressed.poll()) {
            if (isListening()) {
                events.maybeFree(name);
            }
        }
    }

    /** The pool has no connection left for the statements: they need it more. */
    @Override
    public void makeRoom() {
        if (isListening() && !starved) {
            starved = true;
            pausedUntilNanos = environment.nanoTime() + STARVED_PAUSE_NANOS;
            events.notice(BackendNotice.warning(
                    "the listening connection",
                    "the pool has no connection to spare for LISTEN: it is given back, and waiters poll. Give the pool"
                            + " one connection more, or name another DataSource with listenOn"));
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    private void start() {
        if (closed || environment.nanoTime() - pausedUntilNanos < 0 || !running.compareAndSet(false, true)) {
            return;
        }
        try {
            environment.blocking().execute(this::run);
        } catch (RejectedExecutionException e) {
            running.set(false);
        }
    }

    private void run() {
        try {
            Connection connection = source.take();
            try {
                listen(connection);
            } finally {
                channel = "";
                source.giveBack(connection);
            }
        } catch (SQLException | RuntimeException e) {
            failed(e);
        } finally {
            starved = false;
            running.set(false);
            readdress();
        }
    }

    private void failed(Exception e) {
        if (closed) {
            return;
        }
        lost = true;
        pausedUntilNanos = environment.nanoTime() + pauseNanos;
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        events.notice(BackendNotice.warning(
                "the listening connection", "it failed, and waiters poll meanwhile: " + Errors.text(e)));
        // Those who wait were told to wait for long.
        events.recheckAll("the listening connection was lost");
    }

    private void listen(Connection connection) throws SQLException {
        BorrowedConnection session = BorrowedConnection.prepare(connection, dialect, commandTimeout);
        Notifications notifications = Notifications.of(connection);
        String name = "holdfast " + Owner.random(environment.random(), marks.read(connection));
        Sql.execute(connection, "LISTEN \"" + name + '"');
        channel = name;
        pauseNanos = FIRST_PAUSE_NANOS;
        readdress();
        if (lost) {
            lost = false;
            // What was told meanwhile was told to nobody.
            events.recheckAll("the listening connection is back");
        }
        long probedNanos = environment.nanoTime();
        while (goOn()) {
            for (String told : notifications.await(LOOK_UP_MILLIS)) {
                tell(told);
            }
            if (environment.nanoTime() - probedNanos > PROBE_NANOS) {
                Sql.execute(connection, "SELECT 1");
                probedNanos = environment.nanoTime();
            }
        }
        channel = "";
        Sql.execute(connection, "UNLISTEN \"" + name + '"');
        session.restore();
        if (!closed) {
            events.recheckAll("no longer listening");
        }
    }

    /** Anybody who may connect to the database can send anything on any channel: what is not a name is ignored. */
    private void tell(String told) {
        String name;
        try {
            name = Tables.text(HexFormat.of().parseHex(told));
        } catch (IllegalArgumentException e) {
            return;
        }
        events.maybeFree(name);
    }

    private boolean goOn() {
        return !closed && !starved && environment.nanoTime() - wantedNanos < LINGER_NANOS;
    }
}
