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

/** One writer at a time in the whole file, so no mutex of our own is needed. Waiters poll. */
final class Sqlite implements Dialect {
    private static final int BUSY = 5;
    private static final int LOCKED = 6;

    @Override
    public String ddlName() {
        return "sqlite";
    }

    @Override
    public boolean fair() {
        return false;
    }

    @Override
    public boolean networked() {
        return false;
    }

    @Override
    public Guarantees guarantees(Duration settling) {
        return new Guarantees(
                "crashes of the processes that share the file, all on one machine; not a network file system",
                "a counter per bucket in the file, at least the machine's clock in microseconds",
                Waking.POLL,
                false,
                settling);
    }

    @Override
    public String nowMicros() {
        return "CAST(unixepoch('subsec') * 1000000 AS INTEGER)";
    }

    @Override
    public String forUpdate() {
        return "";
    }

    /** Immediate: a transaction that began by reading could fail when it comes to write. */
    @Override
    public void begin(Connection connection) throws SQLException {
        Sql.execute(connection, "BEGIN IMMEDIATE");
    }

    @Override
    public Verdict judge(SQLException failure) {
        int code = failure.getErrorCode() & 0xff;
        if (code == BUSY || code == LOCKED) {
            return Verdict.AGAIN;
        }
        String message = String.valueOf(failure.getMessage());
        return message.contains("no such table") ? Verdict.NO_TABLES : Verdict.UNKNOWN;
    }

    @Override
    public List<Finding> diagnose(Connection connection) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        String mode = Sql.query(connection, "PRAGMA journal_mode", row -> row.getString(1))
                .get(0);
        if (!mode.equalsIgnoreCase("wal")) {
            findings.add(new Finding(
                    Severity.WARNING,
                    "The journal mode is " + mode + ": readers and writers of the file stand in each other's way.",
                    "Run PRAGMA journal_mode = WAL once."));
        }
        findings.add(new Finding(
                Severity.NOTE,
                "The locks live in a file of this machine: no other machine sees them.",
                "Keep the file off network file systems; use a server as soon as there is a second machine."));
        return findings;
    }
}
