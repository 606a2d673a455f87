package dev.holdfast.jdbc.sql;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** MariaDB and MySQL: a queue in a table, which waiters poll. Uses only what both understand. */
public final class MariaDb implements Dialect {
    private static final int LOCK_WAIT_TIMEOUT = 1205;
    private static final int DEADLOCK = 1213;
    private static final int CHANGED_SINCE_READ = 1020;

    @Override
    public String ddlName() {
        return "mariadb";
    }

    @Override
    public boolean networked() {
        return true;
    }

    @Override
    public String exclusion() {
        return "crashes of processes and of the server; failover only to a replica that has every commit";
    }

    /** UTC: local time has an hour that comes twice. It stands still while a statement runs, waits for locks included. */
    @Override
    public String nowMicros() {
        return "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))";
    }

    /** The isolation level is that of the next transaction only: nothing has to be put back. */
    @Override
    public void begin(Connection connection) throws SQLException {
        Sql.execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        Sql.execute(connection, "START TRANSACTION READ WRITE");
    }

    /**
     * The default is 50 s, longer than the network's timeout: a lock wait would look like a broken connection. This is
     * MariaDB's own way to set it for one statement; to MySQL it is a comment.
     */
    @Override
    public String lockWait(Duration most) {
        return "/*M! SET STATEMENT innodb_lock_wait_timeout=" + most.toSeconds() + " FOR */ ";
    }

    @Override
    public String sessionId() {
        return "CONNECTION_ID()";
    }

    @Override
    public Verdict judge(SQLException failure) {
        return switch (failure.getErrorCode()) {
            case LOCK_WAIT_TIMEOUT, DEADLOCK, CHANGED_SINCE_READ -> Verdict.AGAIN;
            case 1146 -> Verdict.NO_TABLES;
            case 1054, 1364, 1366, 1136 -> Verdict.FOREIGN_TABLES;
            // No database, no rights, a counter at its end, a full disk.
            case 1044, 1045, 1049, 1142, 1143, 1227, 3819, 4025, 1021, 1114 -> Verdict.REFUSED;
            // Read-only until a failover is over; too many connections.
            case 1290, 1792, 1836, 1040, 1203, 1226 -> Verdict.NOT_NOW;
            default -> Verdict.UNKNOWN;
        };
    }

    @Override
    public List<Finding> diagnose(Connection connection) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        String flush = Sql.query(connection, "SELECT @@global.innodb_flush_log_at_trx_commit", row -> row.getString(1))
                .get(0);
        if (!flush.equals("1")) {
            findings.add(new Finding(
                    "mariadb.flush-log",
                    Severity.DANGER,
                    "innodb_flush_log_at_trx_commit is " + flush
                            + ": a crash of the server forgets locks granted just before it.",
                    "Set innodb_flush_log_at_trx_commit = 1."));
        }
        findings.add(new Finding(
                "mariadb.replication",
                Severity.NOTE,
                "Replication is asynchronous unless set up otherwise: a failover may forget locks granted just before"
                        + " it.",
                "Use semi-synchronous replication or a cluster that certifies commits; or guard the resource by"
                        + " token."));
        return findings;
    }
}
