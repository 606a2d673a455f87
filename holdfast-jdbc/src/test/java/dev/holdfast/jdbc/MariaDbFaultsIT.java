package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults around MariaDB. */
@Tag("mariadb")
class MariaDbFaultsIT extends ServerFaultContract
        implements KeptLockContract,
                WireFormatContract,
                ShareTablesContract,
                OtherVersionContract,
                StatementCountContract {
    @RegisterExtension
    static final MariaDbServer mariadb = new MariaDbServer();

    @Override
    public int statementsOfATurn() {
        return 13;
    }

    @Override
    public String url() {
        return mariadb.url();
    }

    @Override
    String url(int port) {
        return mariadb.url(port);
    }

    @Override
    int port() {
        return mariadb.port();
    }

    @Override
    void stopServer() throws Exception {
        mariadb.kill();
    }

    @Override
    void startServer() throws Exception {
        mariadb.start();
    }

    @Override
    int questionsInFiveSeconds() {
        return 7;
    }

    @Override
    SQLException rolledBack() {
        return new SQLException("Deadlock found when trying to get lock", "40001", 1213);
    }

    @Test
    void aRowThatSomebodyKeepsIsALockWaitAndNoBrokenConnection() throws Exception {
        // A process was stopped inside a transaction that has the bucket's row. The server waited for it for 50 s, and
        // the network's timeout after 5 s broke a connection and left the outcome unknown.
        Tapped tapped = new Tapped(pool(2));
        // The server gives up after half of the command timeout; the other half is for a machine that is slow to say
        // so.
        try (Holdfast process = Holdfast.builder(JdbcBackend.over(tapped.dataSource())
                                .commandTimeout(Duration.ofSeconds(10))
                                .connect())
                        .closeGrace(Duration.ofMillis(300))
                        .build();
                Connection stopped = Databases.unpooled(url()).getConnection()) {
            process.lock("report").acquire(Duration.ofSeconds(60)).close();
            stopped.setAutoCommit(false);
            Sql.query(stopped, "SELECT bucket FROM holdfast_fence FOR UPDATE", row -> row.getInt(1));
            assertThatThrownBy(() -> process.lock("report").acquire(Duration.ofSeconds(12)))
                    .isInstanceOf(LockUnavailableException.class);
            assertThat(tapped.failures)
                    .isNotEmpty()
                    .extracting(SQLException::getErrorCode)
                    .containsOnly(1205);
            stopped.rollback();
            process.lock("report").acquire(Duration.ofSeconds(60)).close();
        }
    }

    @Override
    boolean isDeadlock(SQLException failure) {
        return failure.getErrorCode() == 1213;
    }
}
