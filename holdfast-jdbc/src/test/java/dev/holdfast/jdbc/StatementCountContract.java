package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a lock that nobody else wants costs. */
interface StatementCountContract {
    String url();

    /** For one acquisition and its release, those that begin and end transactions included. */
    int statementsOfATurn();

    @Test
    default void anUncontendedTurnCostsSoManyStatements() throws Exception {
        // Whatever is checked once (the version of the tables, the session) must not be checked for each lock.
        try (HikariDataSource pool = Databases.pool(url(), 2)) {
            Tapped tapped = new Tapped(pool);
            try (Holdfast process =
                    Holdfast.over(JdbcBackend.over(tapped.dataSource()).connect())) {
                List<Integer> turns = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    int before = tapped.statements.get();
                    process.lock("counted").acquire(Duration.ofSeconds(20)).close();
                    turns.add(tapped.statements.get() - before);
                }
                // Now and then something else is done beside: a sweep, the mark of a new connection.
                System.out.println("measured: " + url().replaceAll(":[^:]*$", "") + ", statements of a turn " + turns);
                assertThat(turns).contains(statementsOfATurn()).allMatch(each -> each >= statementsOfATurn());
            }
        }
    }
}
