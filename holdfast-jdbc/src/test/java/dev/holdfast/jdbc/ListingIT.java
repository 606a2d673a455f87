package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.jdbc.sql.Row;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queries what is held, whoever wrote it. */
@Timeout(60)
class ListingIT {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final String url = "jdbc:h2:mem:listing" + TESTS.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
    private Tapped tapped;
    private JdbcBackend backend;
    private Holdfast process;

    @BeforeEach
    void open() {
        JdbcBackend.createTables(Databases.unpooled(url));
        tapped = new Tapped(Databases.unpooled(url));
        backend = JdbcBackend.over(tapped.dataSource()).connect();
        // Closing does not wait for locks that a test left behind.
        process = Holdfast.builder(backend).closeGrace(Duration.ZERO).build();
    }

    @AfterEach
    void close() {
        process.close();
    }

    private void insert(String name, String owner, long grantedAt) throws SQLException {
        try (Connection connection = Databases.unpooled(url).getConnection()) {
            Sql.update(
                    connection,
                    "INSERT INTO holdfast_lock (" + Row.COLUMNS + ", name) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                    owner,
                    7L,
                    1,
                    grantedAt,
                    Long.MAX_VALUE / 2,
                    "x",
                    "-",
                    "host",
                    1L,
                    "",
                    Tables.bytes(name));
        }
    }

    @Test
    void oneBadRowDoesNotFailTheListing() throws Exception {
        // Somebody wrote a row by hand. The whole listing used to fail for it.
        process.lock("a").acquire(LONG);
        insert("b", "nobody", 1);
        insert("c", "AAAAAAAAAAAAAAAAAAAAA!", Long.MAX_VALUE);
        process.lock("d").acquire(LONG);
        assertThat(process.list("", 100)).extracting(LockState::name).containsExactly("a", "d");
        assertThatThrownBy(() -> process.inspect("b"))
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("was not written by Holdfast");
    }

    @Test
    void aListingThatNobodyWantsIsNotGoneOnWith() throws Exception {
        // The caller goes away while the database is asked: the second question is not asked any more.
        process.lock("a").acquire(LONG);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        AtomicInteger queues = new AtomicInteger();
        tapped.before = sql -> {
            if (sql.startsWith("SELECT name") && sql.contains("holdfast_lock")) {
                asked.countDown();
                awaitQuietly(cancelled);
            } else if (sql.contains("holdfast_queue WHERE name >=")) {
                queues.incrementAndGet();
            }
        };
        var listing = backend.list("", 100).toCompletableFuture();
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        listing.cancel(false);
        cancelled.countDown();
        assertThatThrownBy(listing::join).isInstanceOf(CancellationException.class);
        tapped.before = sql -> {};
        // Behind it, in the same queue: when this has been answered, that was over.
        List<LockState> again = process.list("", 100);
        assertThat(again).hasSize(1);
        assertThat(queues).hasValue(0);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
