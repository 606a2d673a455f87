package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a lock that nobody else wants costs. */
interface StatementCountContract {
    String url();

    /** For one acquisition and its release, those that begin and end transactions included. */
    int statementsOfATurn();

    /** The same for a permit of a semaphore. */
    default int statementsOfAPermit() {
        return statementsOfATurn();
    }

    @Test
    default void anUncontendedTurnCostsSoManyStatements() throws Exception {
        // Whatever is checked once (the version of the tables, the session) must not be checked for each lock.
        count(statementsOfATurn(), process -> process.lock("counted").acquire(Duration.ofSeconds(20)));
    }

    @Test
    default void anUncontendedPermitCostsSoManyStatements() throws Exception {
        count(statementsOfAPermit(), process -> process.semaphore("counted", 8).acquire(Duration.ofSeconds(20)));
    }

    /** Acquires something. */
    interface Turn {
        Lease begin(Holdfast process) throws Exception;
    }

    private void count(int expected, Turn turn) throws Exception {
        try (HikariDataSource pool = Databases.pool(url(), 2)) {
            Tapped tapped = new Tapped(pool);
            try (Holdfast process =
                    Holdfast.over(JdbcBackend.over(tapped.dataSource()).connect())) {
                List<Integer> turns = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    int before = tapped.statements.get();
                    turn.begin(process).close();
                    turns.add(tapped.statements.get() - before);
                }
                // Now and then something else is done beside: a sweep, the mark of a new connection.
                System.out.println("measured: " + url().replaceAll(":[^:]*$", "") + ", statements of a turn " + turns);
                assertThat(turns).contains(expected).allMatch(each -> each >= expected);
            }
        }
    }
}
