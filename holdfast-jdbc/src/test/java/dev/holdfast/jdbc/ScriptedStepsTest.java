package dev.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holder;
import dev.holdfast.jdbc.sql.H2;
import dev.holdfast.jdbc.sql.ScriptedSteps;
import dev.holdfast.jdbc.sql.Sql;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Owner;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

class ScriptedStepsTest {
    private static final Tables TABLES = new Tables(Tables.DEFAULT_PREFIX);

    private static Claim claim() {
        return Claim.of(
                        "report",
                        Owner.random(ThreadLocalRandom.current()),
                        Duration.ofSeconds(30),
                        1,
                        new Holder("host", 1, ""))
                .queuedSince(1);
    }

    @Test
    void aPlaceThatWasRolledBackIsForgotten() throws SQLException {
        // Its owner stayed in memory for the life of the process: the claim is tried again, or made anew with another.
        ScriptedSteps steps = new ScriptedSteps(new H2(), TABLES, Duration.ofSeconds(5), (inbox, name) -> {});
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            for (String statement : TABLES.ddlStatements("h2")) {
                Sql.execute(connection, statement);
            }
            steps.acquire(connection, claim(), Long.MAX_VALUE, "");
            Tapped tapped = new Tapped(new Databases.Source(() -> Databases.unclosed(connection)));
            tapped.before = sql -> {
                if (sql.equals("COMMIT")) {
                    throw new SQLException("the disk is full", "HY000", 1);
                }
            };
            try (Connection failing = tapped.dataSource().getConnection()) {
                assertThatThrownBy(() -> steps.acquire(failing, claim(), Long.MAX_VALUE, ""))
                        .hasMessage("the disk is full");
            }
            assertThat(steps.knownPlaces()).isZero();
            Claim waiting = claim();
            assertThat(steps.acquire(connection, waiting, Long.MAX_VALUE, "").queued())
                    .isTrue();
            assertThat(steps.knownPlaces()).isOne();
            steps.vacate(connection, "report", waiting.owner().toString(), 0);
            assertThat(steps.knownPlaces()).isZero();
        }
    }
}
