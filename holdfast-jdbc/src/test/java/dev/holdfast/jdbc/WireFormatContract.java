package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.jdbc.sql.Row;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Steps;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Renewal;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** Rows that a later version may write into the same tables: kinds and notes that this one does not know. */
interface WireFormatContract {
    /** Of a database that has the tables. */
    String url();

    private BareClient newClient(TestInfo test) {
        return new BareClient(JdbcBackend.connect(url()), "wire/" + test.getDisplayName());
    }

    private void update(String sql, Object... parameters) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            assertThat(Sql.update(connection, sql, parameters)).isEqualTo(1);
        }
    }

    private List<String> read(String sql, String name) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            return Sql.query(connection, sql, row -> row.getString(1), Tables.bytes(name));
        }
    }

    private void insertLock(Claim claim, String kind, long expiresMicros) throws SQLException {
        update(
                "INSERT INTO holdfast_lock (" + Row.COLUMNS + ", name) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                claim.owner(),
                7L,
                1,
                expiresMicros - 60_000_000,
                expiresMicros,
                kind,
                "slot=3",
                "elsewhere",
                5L,
                "a reader",
                Tables.bytes(claim.key()));
    }

    @Test
    default void aLockOfAnUnknownKindIsBusyAndShownAndNeverOurs(TestInfo test) throws Exception {
        // It even has the owner of our claim: whatever that kind means, it is not an exclusive lock of ours.
        try (BareClient client = newClient(test)) {
            Claim claim = client.claim;
            String name = claim.key();
            long ends = client.environment.wallMicros() + 60_000_000;
            // Of the bucket's counter: a token above it would mean that the tables are older than the lock.
            client.release(client.ask());
            insertLock(claim, "shared", ends);
            Answer.Busy busy = (Answer.Busy) client.ask();
            assertThat(busy.heldBy()).isNotNull();
            assertThat(busy.retryAfter()).isLessThanOrEqualTo(Duration.ofSeconds(61));
            Holding holding = new Holding(name, claim.owner(), 7, claim.lease());
            assertThat(BareClient.get(client.backend.renew(List.of(holding))))
                    .first()
                    .isInstanceOf(Renewal.Gone.class);
            assertThat(BareClient.get(client.backend.release(holding))).isFalse();
            assertThat(BareClient.get(client.backend.releaseLater(holding, Duration.ofMillis(1))))
                    .isFalse();
            BareClient.get(client.backend.withdraw(name, claim.owner(), 1));
            LockState shown = BareClient.get(client.backend.describe(name)).get(0);
            assertThat(shown.holder().description()).isEqualTo("a reader");
            assertThat(BareClient.get(client.backend.list(name, 10)))
                    .extracting(LockState::holder)
                    .containsExactly(shown.holder());
            assertThatThrownBy(() -> BareClient.get(client.backend.breakLock(name, claim.owner(), 0)))
                    .hasCauseInstanceOf(RefusedException.class)
                    .hasMessageContaining("the kind 'shared'");
            assertThat(read("SELECT notes FROM holdfast_lock WHERE name = ? AND expires_at = " + ends, name))
                    .containsExactly("slot=3");
            // Once it has run out it is as free as any other.
            update("UPDATE holdfast_lock SET expires_at = 1 WHERE name = ?", Tables.bytes(name));
            client.release(client.ask());
        }
    }

    @Test
    default void unknownNotesAreKeptByWhateverIsDoneToTheLock(TestInfo test) throws Exception {
        // A later version may count on what it has noted.
        try (BareClient client = newClient(test)) {
            Holding holding = client.hold();
            String name = holding.key();
            String notes = "SELECT notes FROM holdfast_lock WHERE name = ?";
            assertThat(read(notes, name)).containsExactly("-");
            update("UPDATE holdfast_lock SET notes = 'slot=3' WHERE name = ?", Tables.bytes(name));
            assertThat(BareClient.get(client.backend.renew(List.of(holding))))
                    .first()
                    .isInstanceOf(Renewal.Renewed.class);
            assertThat(client.ask()).isInstanceOf(Answer.Granted.class);
            assertThat(BareClient.get(client.backend.releaseLater(holding, Duration.ofMinutes(1))))
                    .isTrue();
            assertThat(read(notes, name)).containsExactly("slot=3");
            assertThat(BareClient.get(client.backend.release(holding))).isTrue();
        }
    }

    @Test
    default void aWaiterIsHandedTheLockWithItsKindAndItsNotes(TestInfo test) throws Exception {
        // The first in line is of a later version. The row it is granted must have its kind, or it would not recognise
        // it.
        // Whoever is handed the lock has to come within seconds: a machine on which this takes as long shows nothing,
        // and
        // is asked again.
        boolean inTime = false;
        for (int i = 0; i < 10 && !inTime; i++) {
            inTime = handsOver("wire/" + test.getDisplayName() + i);
        }
        assertThat(inTime).as("played in time at least once").isTrue();
    }

    private boolean handsOver(String name) throws Exception {
        try (BareClient holder = new BareClient(JdbcBackend.connect(url()), name);
                BareClient next = new BareClient(JdbcBackend.connect(url()), name)) {
            Holding holding = holder.hold();
            next.queue();
            update(
                    "UPDATE holdfast_queue SET kind = 'shared', notes = 'since=5,colour=red' WHERE name = ?",
                    Tables.bytes(name));
            // Keeps its place; the notes stay.
            next.backend.tryAcquire(next.claim).toCompletableFuture().join();
            assertThat(BareClient.get(holder.backend.describe(name)).get(0).waiters())
                    .containsExactly(Waiting.of(next.claim.holder(), Instant.ofEpochMilli(5)));
            long handedOver = System.nanoTime();
            assertThat(BareClient.get(holder.backend.release(holding))).isTrue();
            List<String> notes = read("SELECT notes FROM holdfast_lock WHERE kind = 'shared' AND name = ?", name);
            Answer asked = holder.ask();
            if (System.nanoTime() - handedOver >= Steps.CLAIM_WINDOW_MICROS * 1_000) {
                return false;
            }
            assertThat(notes).containsExactly("since=5,colour=red");
            assertThat(asked).isInstanceOf(Answer.Busy.class);
            return true;
        }
    }

    @Test
    default void aWaiterShowsSinceWhenItWaits(TestInfo test) throws Exception {
        // By its own clock, in milliseconds, and the same however often it asks.
        try (BareClient holder = newClient(test);
                BareClient next = newClient(test)) {
            Holding holding = holder.hold();
            next.queue();
            next.queue();
            LockState state =
                    BareClient.get(holder.backend.describe(holding.key())).get(0);
            assertThat(state.waiters())
                    .containsExactly(
                            Waiting.of(next.claim.holder(), Instant.ofEpochMilli(next.claim.sinceMicros() / 1_000)));
            update("UPDATE holdfast_queue SET notes = 'colour=red' WHERE name = ?", Tables.bytes(holding.key()));
            assertThat(BareClient.get(holder.backend.describe(holding.key()))
                            .get(0)
                            .waiters())
                    .hasSize(1);
            BareClient.get(next.backend.withdraw(holding.key(), next.claim.owner(), 1));
            assertThat(BareClient.get(holder.backend.release(holding))).isTrue();
        }
    }
}
