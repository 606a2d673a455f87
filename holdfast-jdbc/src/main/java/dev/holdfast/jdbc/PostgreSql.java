package dev.holdfast.jdbc;

import dev.holdfast.Finding;
import dev.holdfast.Finding.Severity;
import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A queue in a table; NOTIFY tells the waiter whose turn it is. */
final class PostgreSql implements Dialect {
    @Override
    public String ddlName() {
        return "postgresql";
    }

    @Override
    public boolean fair() {
        return true;
    }

    @Override
    public boolean networked() {
        return true;
    }

    @Override
    public Guarantees guarantees(Duration settling) {
        return new Guarantees(
                "crashes of processes and of the server; failover only to a synchronous replica",
                "a counter per bucket in the database, at least its clock in microseconds",
                Waking.HINT,
                true,
                settling);
    }

    @Override
    public Steps steps(Tables tables) {
        return new PostgreSqlSteps(tables);
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
    public Verdict judge(SQLException failure) {
        return switch (String.valueOf(failure.getSQLState())) {
            case "40001", "40P01", "55P03" -> Verdict.AGAIN;
            case "42P01", "3F000", "42703" -> Verdict.NO_TABLES;
            case "42501", "28000", "28P01", "3D000", "23514" -> Verdict.REFUSED;
            default -> Verdict.UNKNOWN;
        };
    }

    @Override
    public List<Finding> diagnose(Connection connection) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        if (setting(connection, "fsync").equals("off")) {
            findings.add(new Finding(
                    Severity.DANGER,
                    "fsync is off: after a crash of the server's machine a lock that is held may be granted again.",
                    "Set fsync = on."));
        }
        String commit = setting(connection, "synchronous_commit");
        if (commit.equals("off")) {
            findings.add(new Finding(
                    Severity.DANGER,
                    "synchronous_commit is off: a crash of the server forgets locks granted just before it.",
                    "Set synchronous_commit = on for the user that Holdfast connects as."));
        }
        if (setting(connection, "synchronous_standby_names").isEmpty()) {
            findings.add(new Finding(
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
