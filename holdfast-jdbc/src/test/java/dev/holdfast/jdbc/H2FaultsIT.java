package dev.holdfast.jdbc;

import java.sql.SQLException;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults around H2. */
class H2FaultsIT extends FaultContract
        implements KeptLockContract,
                WireFormatContract,
                ShareTablesContract,
                OtherVersionContract,
                StatementCountContract {
    @RegisterExtension
    static final H2Server h2 = new H2Server();

    @Override
    public int statementsOfATurn() {
        return 9;
    }

    @Override
    public String url() {
        return h2.url();
    }

    @Override
    int questionsInFiveSeconds() {
        return 10;
    }

    @Override
    SQLException rolledBack() {
        return new SQLException("Deadlock detected", "40001", 40001);
    }
}
