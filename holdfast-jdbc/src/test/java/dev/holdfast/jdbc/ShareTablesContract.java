package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holder;
import dev.holdfast.Holdfast;
import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.jdbc.sql.Row;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** The two tables of semaphores and read-write locks: what a later version may write there, and where they are missing. */
interface ShareTablesContract {
    /** Of a database that has the tables. */
    String url();

    private static Claim another(BareClient client) {
        return Claim.of(
                client.claim.key(),
                Owner.random(client.environment.random()),
                Duration.ofSeconds(60),
                1,
                client.claim.holder());
    }

    private void insert(String key, int slot, Owner owner, String kind, long expiresMicros) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            Sql.update(
                    connection,
                    "INSERT INTO holdfast_share (" + Row.COLUMNS + ", name, slot) VALUES (" + Sql.marks(12) + ")",
                    owner,
                    7L,
                    1,
                    expiresMicros - 60_000_000,
                    expiresMicros,
                    kind,
                    "colour=red",
                    "elsewhere",
                    5L,
                    "of a later version",
                    Tables.bytes(key),
                    slot);
        }
    }

    private List<Long> query(String sql, Object... parameters) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            return Sql.query(connection, sql, row -> row.getLong(1), parameters);
        }
    }

    @Test
    default void aShareOfAnUnknownKindToleratesNobodyAndIsNeverOurs(TestInfo test) throws Exception {
        String key = LockKey.readWriteLock("wire/" + test.getDisplayName()).encoded();
        try (BareClient client = new BareClient(JdbcBackend.connect(url()), key)) {
            // The counter of the bucket is above that token afterwards.
            client.release(client.ask());
            Owner owner = client.claim.owner();
            insert(key, 4, owner, "later", client.environment.wallMicros() + 60_000_000);
            assertThat(BareClient.get(client.backend.tryAcquire(another(client).forReading())))
                    .isInstanceOf(Answer.Busy.class);
            BareClient.get(client.backend.withdraw(key, owner, 1));
            List<LockState> shown = BareClient.get(client.backend.describe(key));
            assertThat(shown)
                    .singleElement()
                    .satisfies(state -> assertThat(state.holder().description()).isEqualTo("of a later version"));
            assertThatThrownBy(() -> BareClient.get(client.backend.breakLock(key, owner, 0)))
                    .hasCauseInstanceOf(RefusedException.class)
                    .hasMessageContaining("the kind 'later'");
            // Once it has run out it is as free as any other.
            try (Connection connection = Databases.unpooled(url()).getConnection()) {
                Sql.update(connection, "UPDATE holdfast_share SET expires_at = 1 WHERE name = ?", (Object)
                        Tables.bytes(key));
            }
            client.release(client.ask());
            assertThat(query("SELECT count(*) FROM holdfast_share WHERE name = ?", (Object) Tables.bytes(key)))
                    .containsExactly(0L);
        }
    }

    @Test
    default void ofManyThatAreTheFirstInABucketOneIsGranted(TestInfo test) throws Exception {
        // The bucket has no row, so there is nothing to lock. Whoever found none and saw the row that another one had
        // just
        // added went on without the mutex.
        List<JdbcBackend> backends = new ArrayList<>();
        ShiftedClock environment = new ShiftedClock(Duration.ZERO);
        try {
            for (int i = 0; i < 6; i++) {
                backends.add(JdbcBackend.connect(url()));
                backends.get(i).open(environment, Ignored.EVENTS);
            }
            for (int round = 0; round < 10; round++) {
                String key =
                        LockKey.readWriteLock(round + test.getDisplayName()).encoded();
                forgetBucket(Tables.bucket(key));
                List<CompletableFuture<Answer>> asked = new ArrayList<>();
                for (JdbcBackend each : backends) {
                    Owner owner = Owner.random(environment.random());
                    asked.add(each.tryAcquire(Claim.of(key, owner, Duration.ofMinutes(5), 1, new Holder("host", 1, "")))
                            .toCompletableFuture());
                }
                int granted = 0;
                for (CompletableFuture<Answer> each : asked) {
                    granted += BareClient.get(each) instanceof Answer.Granted ? 1 : 0;
                }
                assertThat(granted).isEqualTo(1);
            }
        } finally {
            backends.forEach(JdbcBackend::close);
            environment.close();
        }
    }

    private void forgetBucket(int bucket) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            Sql.update(connection, "DELETE FROM holdfast_fence WHERE bucket = ?", bucket);
        }
    }

    @Test
    default void theLongestNameIsAlsoOneOfASemaphore() throws Exception {
        // Its key is longer than any name of a lock.
        String name = "ß".repeat(256);
        try (Holdfast process = Holdfast.over(JdbcBackend.connect(url()))) {
            var permit = process.semaphore(name, 2).acquire(Duration.ofSeconds(20));
            var read = process.readWriteLock(name).read().acquire(Duration.ofSeconds(20));
            assertThat(process.list(name, 10))
                    .hasSize(2)
                    .allMatch(state -> state.name().equals(name));
            permit.close();
            read.close();
            assertThat(process.list(name, 10)).isEmpty();
        }
    }

    @Test
    default void whereTheirTablesAreMissingLocksWorkAndTheRestIsRefusedWithTheFile() throws Exception {
        // Tables from before there were semaphores. The file adds what is missing, and changes nothing that is there.
        JdbcBackend.Builder builder =
                JdbcBackend.over(Databases.unpooled(url())).tablePrefix("fewer_");
        builder.createTables().connect().close();
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            Sql.execute(connection, "DROP TABLE fewer_share");
            Sql.execute(connection, "DROP TABLE fewer_share_queue");
        }
        Duration most = Duration.ofSeconds(20);
        try (Holdfast process = Holdfast.over(JdbcBackend.over(Databases.unpooled(url()))
                .tablePrefix("fewer_")
                .connect())) {
            process.lock("report").acquire(most).close();
            assertThatThrownBy(() -> process.semaphore("report", 2).acquire(most))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("CREATE TABLE IF NOT EXISTS fewer_share_queue");
            JdbcBackend.over(Databases.unpooled(url()))
                    .tablePrefix("fewer_")
                    .createTables()
                    .connect()
                    .close();
            process.semaphore("report", 2).acquire(most).close();
        }
    }
}
