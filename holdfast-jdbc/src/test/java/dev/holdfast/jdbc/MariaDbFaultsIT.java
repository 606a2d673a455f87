package dev.holdfast.jdbc;

import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults around MariaDB. */
@Tag("mariadb")
class MariaDbFaultsIT extends ServerFaultContract {
    @RegisterExtension
    static final MariaDbServer mariadb = new MariaDbServer();

    @Override
    String url() {
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

    @Override
    boolean isDeadlock(SQLException failure) {
        return failure.getErrorCode() == 1213;
    }
}
