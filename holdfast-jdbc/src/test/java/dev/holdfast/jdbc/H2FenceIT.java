package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FencingToken;
import dev.holdfast.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Fences in H2. */
class H2FenceIT extends SqlFenceContract {
    private static final H2Server SERVER = new H2Server();

    // By hand: an extension would be started once more for each nested class.
    @BeforeAll
    static void start() throws Exception {
        SERVER.beforeAll(null);
    }

    @AfterAll
    static void stop() throws Exception {
        SERVER.afterAll(null);
    }

    @Override
    String url() {
        return SERVER.url();
    }

    @Test
    void theSecondOfTwoFirstAnnouncementsComesThroughWithoutBeingRepeated() throws Exception {
        // Used to fail with a violation of the primary key once the first had committed.
        SqlFence fence = SqlFence.of("first-" + System.nanoTime());
        CompletableFuture<Void> second = new CompletableFuture<>();
        try (Connection connection = dataSource().getConnection()) {
            connection.setAutoCommit(false);
            fence.announce(connection, new FencingToken(5));
            second.completeAsync(() -> announce(fence, new FencingToken(6)));
            assertThatThrownBy(() -> second.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            connection.commit();
        }
        second.get(60, TimeUnit.SECONDS);
    }

    private Void announce(SqlFence fence, FencingToken token) {
        try (Connection connection = dataSource().getConnection()) {
            // By itself H2 waits for two seconds: less than the other transaction may take on a busy machine.
            Sql.execute(connection, "SET LOCK_TIMEOUT 60000");
            connection.setAutoCommit(false);
            fence.announce(connection, token);
            connection.commit();
            return null;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }
}
