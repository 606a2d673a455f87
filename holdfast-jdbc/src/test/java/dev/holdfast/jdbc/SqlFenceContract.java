package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardState;
import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.tck.FenceContract;
import dev.holdfast.tck.GuardedNumber;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The story of the paused holder, with a fence row and with a fence column, and what can be done wrong. */
abstract class SqlFenceContract {
    private static final AtomicLong IDS = new AtomicLong(System.nanoTime());
    private static final FencingToken OLD = new FencingToken(5);
    private static final FencingToken NEW = new FencingToken(6);

    abstract String url();

    final DataSource dataSource() {
        return Databases.unpooled(url());
    }

    @BeforeEach
    void createTables() throws SQLException {
        SqlNumber.createTables(dataSource());
    }

    @Nested
    class WithARow extends FenceContract {
        @Override
        protected GuardedNumber newNumber() throws SQLException {
            return SqlNumber.create(dataSource(), IDS.incrementAndGet(), false);
        }
    }

    @Nested
    class WithAColumn extends FenceContract {
        @Override
        protected GuardedNumber newNumber() throws SQLException {
            return SqlNumber.create(dataSource(), IDS.incrementAndGet(), true);
        }
    }

    @Test
    void aCheckKeepsNewerTokensOutUntilItsTransactionEnds() throws Exception {
        // The old holder has checked and not committed. A newer token announced now must wait, or the write would land
        // after the announcement.
        SqlFence fence = newFence();
        CompletableFuture<Void> announcing;
        CompletableFuture<Void> checked = new CompletableFuture<>();
        try (Connection connection = dataSource().getConnection()) {
            connection.setAutoCommit(false);
            fence.check(connection, OLD);
            announcing = CompletableFuture.runAsync(() -> {
                checked.join();
                announceUntilLetIn(fence, NEW);
            });
            checked.complete(null);
            assertThatThrownBy(() -> announcing.get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            fence.check(connection, OLD);
            connection.commit();
            connection.setAutoCommit(true);
        }
        announcing.get(60, TimeUnit.SECONDS);
        assertThatThrownBy(() -> check(fence, OLD)).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void anAnnouncementThatIsRolledBackDoesNotCount() throws Exception {
        SqlFence fence = newFence();
        check(fence, OLD);
        try (Connection connection = dataSource().getConnection()) {
            connection.setAutoCommit(false);
            fence.announce(connection, NEW);
            connection.rollback();
            connection.setAutoCommit(true);
        }
        check(fence, OLD);
    }

    @Test
    void aConnectionThatCommitsByItselfIsRefused() throws SQLException {
        SqlFence fence = newFence();
        try (Connection connection = dataSource().getConnection()) {
            assertThatThrownBy(() -> fence.check(connection, OLD))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
    }

    @Test
    void aMissingTableIsReportedWithItsDdl() throws SQLException {
        try (Connection connection = dataSource().getConnection()) {
            Sql.execute(connection, "DROP TABLE holdfast_guard");
        }
        assertThatThrownBy(() -> check(newFence(), OLD))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("SqlFence.createTable")
                .hasMessageContaining("CREATE TABLE IF NOT EXISTS holdfast_guard");
    }

    @Test
    void resourcesThatOnlyLookAlikeAreFencedApart() throws Exception {
        String name = "resource " + IDS.incrementAndGet();
        check(SqlFence.of(name), NEW);
        check(SqlFence.of(name.toUpperCase(java.util.Locale.ROOT)), OLD);
        check(SqlFence.of(name + " "), OLD);
        assertThatThrownBy(() -> check(SqlFence.of(name), OLD)).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void eightThreadsMayBeTheFirstAtOnce() throws Exception {
        for (int round = 0; round < 5; round++) {
            SqlFence fence = newFence();
            CompletableFuture<?>[] all = new CompletableFuture<?>[8];
            for (int i = 0; i < all.length; i++) {
                all[i] = CompletableFuture.runAsync(() -> announceUntilLetIn(fence, NEW));
            }
            CompletableFuture.allOf(all).get(90, TimeUnit.SECONDS);
            assertThatThrownBy(() -> check(fence, OLD)).isInstanceOf(StaleTokenException.class);
        }
    }

    @Test
    void aTokenOlderThanOneThatAnotherProcessAnnouncedIsRefused() throws Exception {
        String resource = "shared-" + IDS.incrementAndGet();
        SqlFence fence = SqlFence.of(resource);
        check(fence, OLD);
        AnnouncingProcess.run(url(), resource, NEW);
        assertThatThrownBy(() -> check(fence, OLD))
                .isInstanceOfSatisfying(
                        StaleTokenException.class,
                        stale -> assertThat(stale.newest()).isEqualTo(NEW));
    }

    @Test
    void aMoveWaitsForTheTransactionOfAnOldHolderAndThenSeesItsToken() throws Exception {
        // The operator has looked. A holder of the old store has checked a newer token and not committed: moved now,
        // its
        // write would land behind the move.
        SqlFence fence = newFence();
        check(fence, OLD);
        GuardState shown = inspect(fence);
        CompletableFuture<Boolean> moving;
        CompletableFuture<Void> checked = new CompletableFuture<>();
        try (Connection connection = dataSource().getConnection()) {
            connection.setAutoCommit(false);
            fence.check(connection, NEW);
            moving = CompletableFuture.supplyAsync(() -> {
                checked.join();
                return moveUntilLetIn(fence, shown);
            });
            checked.complete(null);
            assertThatThrownBy(() -> moving.get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(java.util.concurrent.TimeoutException.class);
            connection.commit();
            connection.setAutoCommit(true);
        }
        assertThat(moving.get(60, TimeUnit.SECONDS)).isFalse();
        assertThat(inspect(fence)).isEqualTo(GuardState.of(0, NEW.value()));
        check(fence, NEW);
    }

    @Test
    void aMoveThatIsRolledBackLeavesNoTrace() throws Exception {
        SqlFence fence = newFence();
        check(fence, OLD);
        GuardState shown = inspect(fence);
        try (Connection connection = dataSource().getConnection()) {
            assertThatThrownBy(() -> fence.move(connection, shown, 1, "alice"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
            connection.setAutoCommit(false);
            assertThat(fence.move(connection, shown, 1, "alice")).isTrue();
            connection.rollback();
            connection.setAutoCommit(true);
        }
        assertThat(inspect(fence)).isEqualTo(shown);
        check(fence, OLD);
    }

    @Test
    void aNewResourceTakesTheGenerationOfItsFirstToken() throws Exception {
        // Created after the stores were changed. A process of the old store that comes later is refused.
        SqlFence fence = newFence();
        check(fence.withGeneration(1), OLD);
        assertThatThrownBy(() -> check(fence, NEW)).isInstanceOf(WrongGenerationException.class);
        check(fence.withGeneration(1), NEW);
    }

    @Test
    void aColumnWithoutAGenerationCannotBeMoved() throws Exception {
        long id = IDS.incrementAndGet();
        SqlNumber.create(dataSource(), id, true);
        FencedTable table = FencedTable.of("number", "id", "fence");
        SqlNumber.transaction(dataSource(), connection -> {
            table.announce(connection, id, OLD);
            GuardState shown = table.inspect(connection, id);
            assertThat(shown).isEqualTo(GuardState.of(0, OLD.value()));
            assertThatThrownBy(() -> table.move(connection, id, shown, 1, "alice"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("withGeneration(column, 0)");
            return true;
        });
    }

    @Test
    void aColumnWithoutOneForReadersKnowsNoReaders() throws Exception {
        long id = IDS.incrementAndGet();
        SqlNumber.create(dataSource(), id, true);
        FencedTable table = FencedTable.of("number", "id", "fence");
        try (Connection connection = dataSource().getConnection()) {
            assertThatThrownBy(() -> table.announceRead(connection, id, OLD))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("withReaders(column)");
            assertThatThrownBy(() -> table.withReaders("reader").announceRead(connection, -1L, OLD))
                    .isInstanceOf(NoSuchElementException.class);
        }
    }

    @Test
    void aTableFromBeforeThereWereReadersIsReportedWithItsRemedy() throws Exception {
        // Its rows are lasting data: whoever has it adds the column, and the guard goes on from what it has seen.
        SqlFence fence = newFence();
        check(fence, NEW);
        try (Connection connection = dataSource().getConnection()) {
            Sql.execute(connection, "ALTER TABLE holdfast_guard DROP COLUMN reader");
        }
        String remedy = "ALTER TABLE holdfast_guard ADD COLUMN reader BIGINT DEFAULT 0 NOT NULL";
        try {
            assertThatThrownBy(() -> check(fence, NEW))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining(remedy);
        } finally {
            try (Connection connection = dataSource().getConnection()) {
                Sql.execute(connection, remedy);
            }
        }
        assertThatThrownBy(() -> check(fence, OLD)).isInstanceOf(StaleTokenException.class);
        check(fence, NEW);
    }

    @Test
    void badNamesAndMissingRowsAreRefused() throws SQLException {
        assertThatThrownBy(() -> SqlFence.of("")).hasMessageContaining("1 to 512 bytes");
        assertThatThrownBy(() -> SqlFence.of("x".repeat(513))).hasMessageContaining("513");
        assertThatThrownBy(() -> FencedTable.of("a; DROP TABLE b", "id", "fence"))
                .hasMessageContaining("identifier");
        FencedTable table = FencedTable.of("number", "id", "fence");
        try (Connection connection = dataSource().getConnection()) {
            assertThatThrownBy(() -> table.announce(connection, -1L, OLD))
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessageContaining("id = -1");
        }
    }

    private static SqlFence newFence() {
        return SqlFence.of("fence-" + IDS.incrementAndGet());
    }

    private void check(SqlFence fence, FencingToken token) throws SQLException {
        SqlNumber.transaction(dataSource(), connection -> {
            fence.check(connection, token);
            return true;
        });
    }

    private GuardState inspect(SqlFence fence) throws SQLException {
        return SqlNumber.transaction(
                dataSource(), connection -> fence.inspect(connection).orElseThrow());
    }

    private boolean moveUntilLetIn(SqlFence fence, GuardState shown) {
        AtomicBoolean moved = new AtomicBoolean();
        untilLetIn(() -> moved.set(
                SqlNumber.transaction(dataSource(), connection -> fence.move(connection, shown, 1, "alice"))));
        return moved.get();
    }

    private void announceUntilLetIn(SqlFence fence, FencingToken token) {
        untilLetIn(() -> check(fence, token));
    }

    private interface Step {
        void run() throws SQLException;
    }

    /** A database may answer "try again" while somebody else writes: a deadlock, or a file that is busy. */
    private static void untilLetIn(Step step) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                step.run();
                return;
            } catch (SQLException e) {
                assertThat(System.nanoTime() - deadline)
                        .as("nanoseconds past the last try, which ended in %s", e)
                        .isNegative();
            }
        }
    }
}
