package dev.holdfast.jdbc.sql;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** As a server, or as a file that one of the processes serves to the others. Waiters stand in a queue and poll. */
public final class H2 implements Dialect {
    private static final int DEADLOCK = 40001;
    private static final int LOCK_TIMEOUT = 50200;
    private static final int CONCURRENT_UPDATE = 90131;

    @Override
    public String ddlName() {
        return "h2";
    }

    @Override
    public boolean networked() {
        return false;
    }

    @Override
    public boolean isolationOfConnection() {
        return true;
    }

    @Override
    public String exclusion() {
        return "crashes of processes; a crash of the process that serves the database only with WRITE_DELAY=0";
    }

    /** Fixed at its first use in a statement, or in some modes in a transaction: {@link ScriptedSteps} uses it late. */
    @Override
    public String nowMicros() {
        return "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS BIGINT)";
    }

    @Override
    public void begin(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
    }

    @Override
    public void commit(Connection connection) throws SQLException {
        connection.commit();
        connection.setAutoCommit(true);
    }

    @Override
    public void rollback(Connection connection) throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
    }

    @Override
    public String sessionId() {
        return "SESSION_ID()";
    }

    @Override
    public Verdict judge(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case DEADLOCK, LOCK_TIMEOUT, CONCURRENT_UPDATE -> Verdict.AGAIN;
            // 42103: not there, but one with nearly this name, or with this very name, created a moment later.
            case 42102, 42103, 42104, 90079 -> Verdict.NO_TABLES;
            case 42122, 22018, 90006, 21002 -> Verdict.FOREIGN_TABLES;
            // A wrong password, no rights, a counter at its end, read-only, a full disk, not a database, no such file.
            case 28000, 90096, 23513, 90097, 90100, 90030, 90048, 90049, 90149, 90146, 90013 -> Verdict.REFUSED;
            default -> Verdict.UNKNOWN;
        };
    }

    @Override
    public List<Finding> diagnose(Connection connection) throws SQLException {
        String delay = Sql.query(
                        connection,
                        "SELECT setting_value FROM information_schema.settings WHERE setting_name = 'WRITE_DELAY'",
                        row -> row.getString(1))
                .stream()
                .findFirst()
                .orElse("0");
        return delay.equals("0")
                ? List.of()
                : List.of(new Finding(
                        "h2.write-delay",
                        Severity.DANGER,
                        "WRITE_DELAY is " + delay + " ms: if the process that serves the database is killed, locks that"
                                + " others were granted in that time before are forgotten while they are held.",
                        "Add ;WRITE_DELAY=0 to the URL."));
    }
}
