package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spi.NotSentException;
import dev.holdfast.testing.ManualTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who waits at the desk, and for how long, in a time of our own. */
class DeskTest {
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

    private final ManualTime time = new ManualTime();
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
        // A hundred steps of a second each come while the one connection is in use: the last is served after a hundred
        // seconds.
        List<CompletableFuture<Integer>> answers = new ArrayList<>();
        CompletableFuture<Integer> first = desk.urgently(any -> {
            for (int i = 0; i < 100; i++) {
                int which = i;
                answers.add(desk.urgently(each -> {
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
        CompletableFuture<Integer> first = desk.soon(any -> {
            behind.add(desk.urgently(never -> 1));
            time.advance(COMMAND_TIMEOUT.minusSeconds(1));
            assertThat(behind.get(0)).isNotDone();
            behind.add(desk.soon(never -> 2));
            time.advance(Duration.ofSeconds(2));
            assertThat(behind.get(0)).isCompletedExceptionally();
            assertThat(behind.get(1)).isNotDone();
            time.advance(COMMAND_TIMEOUT);
            throw new SQLException("connection reset", "08006");
        });
        // Not by one of the assertions inside it.
        assertThatThrownBy(first::join).hasCauseInstanceOf(SQLException.class);
        for (CompletableFuture<Integer> each : behind) {
            assertThatThrownBy(each::join).hasCauseInstanceOf(NotSentException.class);
        }
    }
}
