package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Guarantees.Waking;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Holding;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** What waiters learn of a lock that is released later. Here there is no core that would ask by itself. */
interface KeptLockContract {
    Duration PATIENCE = Duration.ofSeconds(60);

    /** Of a database that has the tables. */
    String url();

    private BareClient newClient(TestInfo test) {
        return new BareClient(JdbcBackend.connect(url()), "kept/" + test.getDisplayName());
    }

    private List<String> inboxes(BareClient client) throws SQLException {
        try (Connection connection = Databases.unpooled(url()).getConnection()) {
            return Sql.query(
                    connection,
                    "SELECT inbox FROM holdfast_queue WHERE owner = ?",
                    row -> row.getString(1),
                    client.claim.owner());
        }
    }

    /** Where waiters are told at all, this one can be told from here on. */
    private void queue(BareClient client) throws Exception {
        boolean tells = client.backend.guarantees().waking() != Waking.POLL;
        client.queue();
        if (tells && inboxes(client).equals(List.of(""))) {
            client.awaitHint();
            client.told.set(0);
            client.queue();
        }
        assertThat(inboxes(client)).hasSize(1).allMatch(inbox -> inbox.isEmpty() != tells);
    }

    @Test
    default void theFirstInLineIsToldThatALockEndsAtAnotherTime(TestInfo test) throws Exception {
        // It was told to come when the lease would have ended, in a minute. Where it polls, it finds out by itself.
        try (BareClient holder = newClient(test);
                BareClient next = newClient(test);
                BareClient last = newClient(test)) {
            Holding holding = holder.hold();
            queue(next);
            queue(last);
            Duration keep = Duration.ofMinutes(10);
            assertThat(BareClient.get(holder.backend.releaseLater(holding, keep)))
                    .isTrue();
            if (!inboxes(next).contains("")) {
                next.awaitHint();
            }
            assertThat(last.told).hasValue(0);
            assertThat(next.ask()).isInstanceOf(Answer.Busy.class);
            assertThat(BareClient.get(next.backend.describe(holding.key()))
                            .get(0)
                            .remaining())
                    .isBetween(keep.dividedBy(2), keep);
            BareClient.get(holder.backend.withdraw(holding.key(), holding.owner(), 1));
        }
    }

    @Test
    default void whoeverLeftALockTakenServesTheQueueWhenItIsFree(TestInfo test) throws Exception {
        // The first waiter is told, and does not come: it may be dead. Those behind it must not have to find out.
        try (BareClient holder = newClient(test);
                BareClient next = newClient(test)) {
            Holding holding = holder.hold();
            queue(next);
            assertThat(BareClient.get(holder.backend.releaseLater(holding, Duration.ofMillis(300))))
                    .isTrue();
            // Whoever is handed the lock leaves the queue.
            Awaitility.await().atMost(PATIENCE).until(() -> inboxes(next).isEmpty());
        }
    }
}
