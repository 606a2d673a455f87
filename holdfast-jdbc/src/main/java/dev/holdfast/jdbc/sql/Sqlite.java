package dev.holdfast.jdbc.sql;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.Severity;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One writer at a time in the whole file, so no mutex of our own is needed. Waiters stand in a queue and are told. */
public final class Sqlite implements Dialect {
    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int PERMISSION = 3;
    private static final int READ_ONLY = 8;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANNOT_OPEN = 14;
    private static final int CONSTRAINT = 19;
    private static final int NOT_A_DATABASE = 26;

    @Override
    public String ddlName() {
        return "sqlite";
    }

    /** A look at a file of this machine takes no lock and costs a tenth of a millisecond. */
    @Override
    public PollIntervals poll() {
        return new PollIntervals(Duration.ofMillis(4), Duration.ofMillis(100));
    }

    /** The poll is for hints that were lost, so it need not be quick. */
    @Override
    public PollIntervals pollIfTold() {
        return new PollIntervals(Duration.ofMillis(25), Duration.ofMillis(250));
    }

    @Override
    public boolean isOnOneMachine() {
        return true;
    }

    @Override
    public boolean networked() {
        return false;
    }

    @Override
    public String exclusion() {
        return "crashes of the processes that share the file, all on one machine; not a network file system";
    }

    @Override
    public String tokenSource() {
        return "a counter per bucket in the file, at least the machine's clock in microseconds";
    }

    @Override
    public Waking waking() {
        return Waking.HINT;
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

    /** A connection is a file that this process has open: nobody hands out anything by which a copy could be told apart. */
    @Override
    public String sessionId() {
        return "";
    }

    @Override
    public Verdict judge(SQLException failure) {
        String message = String.valueOf(failure.getMessage());
        return switch (failure.getErrorCode() & 0xff) {
            case BUSY, LOCKED -> Verdict.AGAIN;
            case PERMISSION, READ_ONLY, FULL, CANNOT_OPEN, NOT_A_DATABASE, CORRUPT, CONSTRAINT -> Verdict.REFUSED;
            default -> message.contains("no such table") ? Verdict.NO_TABLES : judgeText(message);
        };
    }

    /** Everything that is wrong with a statement has the same number. */
    private static Verdict judgeText(String message) {
        return message.contains("no such column")
                        || message.contains("has no column named")
                        || message.contains("cannot modify")
                ? Verdict.FOREIGN_TABLES
                : Verdict.UNKNOWN;
    }

    @Override
    public String remedy(SQLException failure) {
        return switch (failure.getErrorCode() & 0xff) {
            case PERMISSION, CANNOT_OPEN ->
                ". This user needs the right to read and write the file and its directory, which SQLite uses for the"
                        + " file's log (-wal, -shm).";
            case READ_ONLY ->
                ". A lock is a write: this user needs the right to write to the file, to its companions (-wal, -shm) and"
                        + " to their directory, and the file system must not be mounted read-only.";
            case FULL -> ". Nothing was granted. Free some space on that file system.";
            case NOT_A_DATABASE, CORRUPT ->
                ". The file is not a SQLite database, or is damaged. Name another file, or move this one away while no"
                        + " process uses it.";
            default -> "";
        };
    }

    @Override
    public List<Finding> diagnose(Connection connection) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        String mode = Sql.query(connection, "PRAGMA journal_mode", row -> row.getString(1))
                .get(0);
        if (!mode.equalsIgnoreCase("wal")) {
            findings.add(new Finding(
                    "sqlite.journal-mode",
                    Severity.WARNING,
                    "The journal mode is " + mode + ": readers and writers of the file stand in each other's way.",
                    "Run PRAGMA journal_mode = WAL once."));
        }
        findings.add(new Finding(
                "sqlite.one-machine",
                Severity.NOTE,
                "The locks live in a file of this machine: no other machine sees them.",
                "Keep the file off network file systems; use a server as soon as there is a second machine."));
        return findings;
    }
}
