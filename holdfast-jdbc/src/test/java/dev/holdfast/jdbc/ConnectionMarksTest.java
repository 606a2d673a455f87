package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.jdbc.connection.ConnectionMarks;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.H2;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process that is restored twice from one copy of its memory has to connect twice; that keeps its owners apart. */
@Timeout(60)
class ConnectionMarksTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    @Test
    void everyConnectionChangesTheMarkAndNoneIsAskedTwice() throws Exception {
        // Two copies begin with the same memory: the same marks so far. Each opens a connection of its own.
        Dialect dialect = new H2();
        Set<Long> marks = new HashSet<>();
        for (int copy = 0; copy < 20; copy++) {
            ConnectionMarks memory = new ConnectionMarks(dialect.sessionId(), dialect);
            assertThat(memory.current()).isZero();
            try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:marks;DB_CLOSE_DELAY=-1")) {
                memory.note(connection, 0);
                long mark = memory.current();
                assertThat(marks.add(mark)).isTrue();
                memory.note(connection, Long.MAX_VALUE / 2);
                assertThat(memory.current()).isEqualTo(mark);
                // Well spread: half of the bits, give or take.
                assertThat(Long.bitCount(mark)).isBetween(10, 54);
            }
        }
    }

    @Test
    void aPoolCostsNoStatementForAConnectionThatIsKnown() throws Exception {
        // The mark is there after the first step, and stays as long as no connection is opened.
        try (HikariDataSource pool = Databases.pool("jdbc:h2:mem:pooled;DB_CLOSE_DELAY=-1", 1)) {
            JdbcBackend.createTables(pool);
            Tapped tapped = new Tapped(pool);
            JdbcBackend backend = JdbcBackend.over(tapped.dataSource()).connect();
            try (Holdfast process = Holdfast.over(backend)) {
                assertThat(backend.connectionMark()).isZero();
                process.lock("a").acquire(LONG).close();
                long mark = backend.connectionMark();
                assertThat(mark).isNotZero();
                tapped.before = sql -> assertThat(sql).doesNotContain("SESSION_ID");
                process.lock("a").acquire(LONG).close();
                assertThat(backend.connectionMark()).isEqualTo(mark);
                tapped.before = sql -> {};
                pool.getHikariPoolMXBean().softEvictConnections();
                process.lock("a").acquire(LONG).close();
                assertThat(backend.connectionMark()).isNotEqualTo(mark);
            }
        }
    }
}
