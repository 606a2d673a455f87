package dev.holdfast.jdbc.sql;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.Severity;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A queue in a table; NOTIFY tells the waiter whose turn it is. */
public final class PostgreSql implements Dialect {
    @Override
    public String ddlName() {
        return "postgresql";
    }

    @Override
    public boolean networked() {
        return true;
    }

    @Override
    public String exclusion() {
        return "crashes of processes and of the server; failover only to a synchronous replica";
    }

    @Override
    public Waking waking() {
        return Waking.HINT;
    }

    @Override
    public boolean losesNoHints() {
        return true;
    }

    @Override
    public Steps steps(Tables tables, Duration commandTimeout, Steps.Notifier teller) {
        BucketTransactions transactions = new BucketTransactions(this, tables, commandTimeout);
        ShareTransactions plain = new ScriptedShares(this, tables, transactions, teller);
        ShareTransactions shares = new PostgreSqlShares(this, tables, plain);
        return new StepsByKind(new PostgreSqlSteps(tables), new SharedSteps(this, tables, transactions, shares));
    }

    @Override
    public String nowMicros() {
        return "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
    }

    @Override
    public String forUpdate() {
        return " FOR NO KEY UPDATE";
    }

    @Override
    public void begin(Connection connection) throws SQLException {
        Sql.execute(connection, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
    }

    @Override
    public String sessionId() {
        return "pg_backend_pid()";
    }

    @Override
    public Verdict judge(SQLException failure) {
        return switch (String.valueOf(failure.getSQLState())) {
            case "40001", "40P01", "55P03" -> Verdict.AGAIN;
            case "42P01", "3F000" -> Verdict.NO_TABLES;
            case "42703", "42804", "42883", "42P10", "23502" -> Verdict.FOREIGN_TABLES;
            // No rights, no database, a counter at its end, a full disk.
            case "42501", "28000", "28P01", "3D000", "23514", "53100" -> Verdict.REFUSED;
            // A replica until it is promoted; too many connections; starting up.
            case "25006", "53300", "57P03" -> Verdict.NOT_NOW;
            default -> Verdict.UNKNOWN;
        };
    }

    @Override
    public List<Finding> diagnose(Connection connection) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        if (setting(connection, "fsync").equals("off")) {
            findings.add(new Finding(
                    "postgresql.fsync",
                    Severity.DANGER,
                    "fsync is off: after a crash of the server's machine a lock that is held may be granted again.",
                    "Set fsync = on."));
        }
        String commit = setting(connection, "synchronous_commit");
        if (commit.equals("off")) {
            findings.add(new Finding(
                    "postgresql.synchronous-commit",
                    Severity.DANGER,
                    "synchronous_commit is off: a crash of the server forgets locks granted just before it.",
                    "Set synchronous_commit = on for the user that Holdfast connects as."));
        }
        if (setting(connection, "synchronous_standby_names").isEmpty()) {
            findings.add(new Finding(
                    "postgresql.replication",
                    Severity.NOTE,
                    "No synchronous replica: a failover may forget locks granted just before it.",
                    "If there is a replica to fail over to, name it in synchronous_standby_names; or guard the"
                            + " resource by token."));
        }
        return findings;
    }

    private static String setting(Connection connection, String name) throws SQLException {
        return Sql.query(connection, "SELECT current_setting(?)", row -> row.getString(1), name)
                .get(0);
    }
}
