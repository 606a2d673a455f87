package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.NotSentException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who waits at the desk, and for how long, in a time of our own. */
class DeskTest {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

    private final OwnTime time = new OwnTime();
    private Connection connection;
    private Desk desk;

    @BeforeEach
    void open() throws SQLException {
        connection = DriverManager.getConnection("jdbc:h2:mem:");
        ConnectionSource one = ConnectionSource.of(new Databases.Source(() -> Databases.unclosed(connection)));
        Dialect dialect = new H2();
        desk = new Desk(one, dialect, new Errors(dialect, new Tables("holdfast_")), time, COMMAND_TIMEOUT, 1, () -> {});
    }

    @AfterEach
    void close() throws SQLException {
        desk.close();
        connection.close();
    }

    @Test
    void aLongQueueIsNotAnOutage() {
        // A hundred steps of a second each, on one connection: the last is served after a hundred seconds.
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            int which = i;
            answers.add(desk.urgently(any -> {
                time.pass(Duration.ofSeconds(1));
                return which;
            }));
        }
        time.runWorkers();
        for (int i = 0; i < 100; i++) {
            assertThat(answers.get(i)).isCompletedWithValue(i);
        }
    }

    @Test
    void aDatabaseThatDoesNothingIsOne() {
        // The first step never comes back. What waits behind it is told so in time, and later steps too.
        List<CompletableFuture<Integer>> behind = new ArrayList<>();
        CompletableFuture<Integer> first = desk.soon(any -> {
            behind.add(desk.urgently(never -> 1));
            time.pass(COMMAND_TIMEOUT.minusSeconds(1));
            assertThat(behind.get(0)).isNotDone();
            behind.add(desk.soon(never -> 2));
            time.pass(Duration.ofSeconds(2));
            assertThat(behind.get(0)).isCompletedExceptionally();
            assertThat(behind.get(1)).isNotDone();
            time.pass(COMMAND_TIMEOUT);
            throw new SQLException("connection reset", "08006");
        });
        time.runWorkers();
        // Not by one of the assertions inside it.
        assertThatThrownBy(first::join).hasCauseInstanceOf(SQLException.class);
        for (CompletableFuture<Integer> each : behind) {
            assertThatThrownBy(each::join).hasCauseInstanceOf(NotSentException.class);
        }
    }

    /** One thread, which also is the worker and the timer. */
    private static final class OwnTime implements Environment {
        private record Timer(long at, Runnable task) {}

        private final List<Timer> timers = new ArrayList<>();
        private final ArrayDeque<Runnable> workers = new ArrayDeque<>();
        private long now = Long.MAX_VALUE - 1_000_000_000;

        void pass(Duration time) {
            long end = now + time.toNanos();
            for (Timer next = due(end); next != null; next = due(end)) {
                timers.remove(next);
                now = next.at;
                next.task.run();
            }
            now = end;
        }

        private Timer due(long end) {
            return timers.stream()
                    .filter(each -> each.at - end <= 0)
                    .min((a, b) -> Long.signum(a.at - b.at))
                    .orElse(null);
        }

        void runWorkers() {
            for (Runnable next = workers.poll(); next != null; next = workers.poll()) {
                next.run();
            }
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public long wallMicros() {
            return now / 1_000;
        }

        @Override
        public Scheduled schedule(long delayNanos, Runnable task) {
            Timer timer = new Timer(now + delayNanos, task);
            timers.add(timer);
            return () -> timers.remove(timer);
        }

        @Override
        public Executor blocking() {
            return workers::add;
        }

        @Override
        public RandomGenerator random() {
            return new Random(1);
        }
    }
}
