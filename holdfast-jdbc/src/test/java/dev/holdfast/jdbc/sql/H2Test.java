package dev.holdfast.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class H2Test {
    @Test
    void aMissingTableIsMissingAlsoIfAnotherHasNearlyItsName() throws SQLException {
        // H2 has another code then, and also if the table comes into being while it is looked for: of six processes
        // that
        // created the tables at once, one was told that there is no connection.
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE \"holdfast_fence\" (counter INT)");
            SQLException failure = catchThrowableOfType(
                    SQLException.class, () -> statement.executeQuery("SELECT counter FROM holdfast_fence"));
            assertThat(failure.getErrorCode()).isEqualTo(42103);
            assertThat(new H2().judge(failure)).isEqualTo(Dialect.Verdict.NO_TABLES);
        }
    }
}
