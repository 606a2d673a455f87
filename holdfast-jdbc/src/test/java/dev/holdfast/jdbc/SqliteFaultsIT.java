package dev.holdfast.jdbc;

import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Faults around a SQLite file that an application has in a pool of its own. */
class SqliteFaultsIT extends FaultContract
        implements KeptLockContract,
                WireFormatContract,
                ShareTablesContract,
                OtherVersionContract,
                StatementCountContract {
    private static final int BUSY = 5;

    @TempDir
    static Path directory;

    @BeforeAll
    static void createTables() {
        JdbcBackend.sqlite(directory.resolve("locks.db")).close();
    }

    @Override
    public int statementsOfATurn() {
        return 9;
    }

    @Override
    public String url() {
        return "jdbc:sqlite:" + directory.resolve("locks.db");
    }

    @Override
    int questionsInFiveSeconds() {
        // The first in the queue looks every 100 ms at most, without a lock.
        return 51;
    }

    @Override
    SQLException rolledBack() {
        return new SQLException("database is locked", null, BUSY);
    }
}
