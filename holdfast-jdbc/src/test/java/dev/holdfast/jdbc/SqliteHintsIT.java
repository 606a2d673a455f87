package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.spi.Answer;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that share a file tell each other whose turn it is. Here there is no core that would poll: whatever a waiter
 * hears, it was told.
 */
@Timeout(120)
class SqliteHintsIT {
    private static final String NAME = "report ü";

    @TempDir
    Path directory;

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private BareClient newClient() {
        BareClient client = new BareClient(JdbcBackend.sqlite(directory.resolve("locks.db")), NAME);
        opened.add(client);
        return client;
    }

    @Test
    void theNextInLineIsToldAndNobodyElse() throws Exception {
        // Whoever waited used to find it out by polling: with 50 processes on one file 60 to 120 ms after the
        // hand-over.
        BareClient holder = newClient();
        BareClient next = newClient();
        BareClient last = newClient();
        Answer held = holder.ask();
        next.queue();
        last.queue();
        holder.release(held);
        next.awaitHint();
        assertThat(last.told).hasValue(0);
        Answer taken = next.ask();
        assertThat(taken).isInstanceOf(Answer.Granted.class);
        next.release(taken);
        last.awaitHint();
        assertThat(last.ask()).isInstanceOf(Answer.Granted.class);
        assertThat(next.told).hasValue(1);
    }

    @Test
    void whoFindsAnExpiredLockTellsTheFirstInLine() throws Exception {
        // The holder died, so nobody releases. Whoever asks next hands the lock on.
        BareClient holder = newClient();
        assertThat(holder.ask()).isInstanceOf(Answer.Granted.class);
        BareClient next = newClient();
        next.queue();
        try (Connection connection = Databases.unpooled("jdbc:sqlite:" + directory.resolve("locks.db"))
                .getConnection()) {
            Sql.update(connection, "UPDATE holdfast_lock SET expires_at = 1");
        }
        assertThat(newClient().ask()).isInstanceOf(Answer.Busy.class);
        next.awaitHint();
        assertThat(next.ask()).isInstanceOf(Answer.Granted.class);
    }

    @Test
    void aWithdrawalTellsTheNextInLine() throws Exception {
        // The lock was handed to a claim that was given up at the same moment.
        BareClient holder = newClient();
        BareClient leaver = newClient();
        BareClient next = newClient();
        Answer held = holder.ask();
        leaver.queue();
        next.queue();
        holder.release(held);
        leaver.awaitHint();
        BareClient.get(leaver.backend.withdraw(NAME, leaver.claim.owner()));
        next.awaitHint();
        assertThat(next.ask()).isInstanceOf(Answer.Granted.class);
    }
}
