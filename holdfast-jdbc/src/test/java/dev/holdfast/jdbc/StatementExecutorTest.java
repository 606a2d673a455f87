package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.jdbc.connection.ConnectionSource;
import dev.holdfast.jdbc.connection.DataSourceConnections;
import dev.holdfast.jdbc.connection.Errors;
import dev.holdfast.jdbc.connection.StatementExecutor;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.H2;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.testing.ManualTime;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who waits at the executor, and for how long, in a time of our own. */
class StatementExecutorTest {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

    private final ManualTime time = new ManualTime();
    private Connection connection;
    /** What the pool throws instead of a connection; null if it has one. */
    private @Nullable Throwable noConnection;

    private StatementExecutor executor;

    @BeforeEach
    void open() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:");
        executor = executor(time);
    }

    private StatementExecutor executor(Environment environment) {
        return executor(environment, new DataSourceConnections(new Databases.Source(() -> {
            if (noConnection != null) {
                throw sneaky(noConnection);
            }
            return Databases.unclosed(connection);
        })));
    }

    /** As Kotlin and Lombok do: past the compiler. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <X extends Throwable> RuntimeException sneaky(Throwable any) throws X {
        throw (X) any;
    }

    private static StatementExecutor executor(Environment environment, ConnectionSource one) {
        Dialect dialect = new H2();
        Errors errors = new Errors(dialect, new Tables("holdfast_"));
        return new StatementExecutor(one, dialect, errors, environment, COMMAND_TIMEOUT, 1, () -> {}, null);
    }

    @AfterEach
    void close() throws SQLException {
        executor.close();
        connection.close();
    }

    @Test
    void aLongQueueIsNotAnOutage() {
        // A hundred steps of a second each come while the one connection is in use: the last is served after a hundred
        // seconds.
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        CompletableFuture<Integer> first = executor.submitUrgent(any -> {
            for (int i = 0; i < 100; i++) {
                int which = i;
                answers.add(executor.submitUrgent(each -> {
                    time.advance(Duration.ofSeconds(1));
                    return which;
                }));
            }
            return 100;
        });
        assertThat(first).isCompletedWithValue(100);
        for (int i = 0; i < 100; i++) {
            assertThat(answers.get(i)).isCompletedWithValue(i);
        }
    }

    @Test
    void aDatabaseThatDoesNothingIsOne() {
        // The first step never comes back. What waits behind it is told so in time, and later steps too.
        List<CompletableFuture<Integer>> behind = new ArrayList<>();
        CompletableFuture<Integer> first = executor.submit(any -> {
            behind.add(executor.submitUrgent(never -> 1));
            time.advance(COMMAND_TIMEOUT.minusSeconds(1));
            assertThat(behind.get(0)).isNotDone();
            behind.add(executor.submit(never -> 2));
            time.advance(Duration.ofSeconds(2));
            assertThat(behind.get(0)).isCompletedExceptionally();
            assertThat(behind.get(1)).isNotDone();
            time.advance(COMMAND_TIMEOUT);
            throw new SQLException("connection reset", "08006");
        });
        // Not by one of the assertions inside it.
        assertThatThrownBy(first::join)
                .hasCauseInstanceOf(IOException.class)
                .hasRootCauseInstanceOf(SQLException.class);
        for (CompletableFuture<Integer> each : behind) {
            assertThatThrownBy(each::join).hasCauseInstanceOf(NotSentException.class);
        }
    }

    /** The same time, and no thread to be had. */
    private record Threadless(ManualTime time) implements Environment {
        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public long wallMicros() {
            return time.wallMicros();
        }

        @Override
        public Scheduled schedule(long delayNanos, Runnable task) {
            return time.schedule(delayNanos, task);
        }

        @Override
        public Executor blocking() {
            return task -> {
                throw new RejectedExecutionException("unable to create native thread");
            };
        }

        @Override
        public RandomGenerator random() {
            return time.random();
        }
    }

    @Test
    void whoGetsNoThreadIsToldSo() {
        // It used to hear that the backend is closed, which it was not.
        executor.close();
        executor = executor(new Threadless(time));
        assertThatThrownBy(executor.submitUrgent(any -> 1)::join)
                .hasCauseInstanceOf(NotSentException.class)
                .hasMessageContaining("unable to create native thread");
        executor.close();
        assertThatThrownBy(executor.submitUrgent(any -> 1)::join).hasMessageContaining("this backend is closed");
    }

    static List<Throwable> whatNobodyDeclares() {
        return List.of(
                // Not the JVM's own: JUnit gives up where one of those gets through.
                new Error("unable to create native thread"),
                new IllegalStateException("the pool was closed"),
                new IOException("thrown past the compiler"));
    }

    @ParameterizedTest
    @MethodSource("whatNobodyDeclares")
    void aPoolMayThrowAnything(Throwable what) {
        // Drivers start threads, and pools are often wrapped. An error, or a checked exception, ended the worker: its
        // slot
        // was lost, and after eight of them no statement was ever sent again.
        noConnection = what;
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(executor.submitUrgent(any -> 1)::join)
                    .hasCauseInstanceOf(NotSentException.class)
                    .hasMessageContaining(what.getMessage());
        }
        noConnection = null;
        assertThat(executor.submitUrgent(any -> 1)).isCompletedWithValue(1);
    }

    @ParameterizedTest
    @MethodSource("whatNobodyDeclares")
    void aDriverMayThrowAnything(Throwable what) {
        // The statement may have been carried out, so nothing is proven. With a checked exception nobody was ever told.
        assertThatThrownBy(executor.submitUrgent(any -> {
                    throw sneaky(what);
                })::join)
                .hasRootCause(what);
        assertThat(executor.submitUrgent(any -> 1)).isCompletedWithValue(1);
    }

    @ParameterizedTest
    @MethodSource("whatNobodyDeclares")
    void whatAPoolThrowsWhenItGetsItsConnectionBackChangesNoAnswer(Throwable what) {
        // The answer was lost with it, and whoever released a lock waited until its lease had ended.
        executor.close();
        executor = executor(time, new ConnectionSource() {
            @Override
            public Connection take() {
                return connection;
            }

            @Override
            public void giveBack(Connection back) {
                throw sneaky(what);
            }
        });
        assertThat(executor.submitUrgent(any -> 1)).isCompletedWithValue(1);
        assertThat(executor.submitUrgent(any -> 2)).isCompletedWithValue(2);
    }
}
