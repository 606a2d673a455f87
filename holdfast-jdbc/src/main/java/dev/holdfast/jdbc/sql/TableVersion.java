package dev.holdfast.jdbc.sql;

import dev.holdfast.Finding;
import dev.holdfast.Severity;
import dev.holdfast.jdbc.sql.Dialect.Verdict;
import dev.holdfast.spi.RefusedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Which version the tables of a database have. Two versions that used the same rows would misread each other, so tables of
 * another version are refused, and never changed. The tables of {@code SqlFence} have no version: their rows are lasting data
 * of their users, and must outlive every change of the locks.
 */
public final class TableVersion {
    /** Of the files in {@code META-INF/holdfast}. */
    public static final int CURRENT = 2;
    /** There are no tables, or not ours: whoever uses them finds that out. */
    private static final int NONE = 0;
    /** No bucket has this number: the counter in that row is the version. */
    private static final int VERSION_BUCKET = -3;

    private final Dialect dialect;
    private final Tables tables;
    private final String recorded;
    private final String columns;
    private final String firstColumns;
    // Racy, and benign: it is read from the database again.
    private volatile boolean confirmed;

    public TableVersion(Dialect dialect, Tables tables) {
        this.dialect = dialect;
        this.tables = tables;
        recorded = tables.in("SELECT counter FROM holdfast_fence WHERE bucket = " + VERSION_BUCKET);
        columns = tables.in("SELECT kind, notes FROM holdfast_lock WHERE 1 = 0");
        firstColumns = tables.in("SELECT owner, token, tokens, granted_at, expires_at FROM holdfast_lock WHERE 1 = 0");
    }

    /** Once the tables were found to be of this version, nobody asks again. */
    public boolean isConfirmed() {
        return confirmed;
    }

    /**
     * Looks at the tables. Missing ones are accepted: whoever uses them finds that out.
     *
     * @throws RefusedException if the tables are of another version
     */
    public void require(Connection connection) throws SQLException {
        int found = read(connection);
        if (found != NONE && found != CURRENT) {
            throw new RefusedException(is(found) + ". " + remedy());
        }
        confirmed = found == CURRENT;
    }

    /** What people have to know of other versions: in these tables, or in those with the usual names beside them. */
    public List<Finding> findings(Connection connection) throws SQLException {
        List<Finding> findings = new ArrayList<>();
        int found = read(connection);
        if (found != NONE && found != CURRENT) {
            findings.add(new Finding(
                    "jdbc.other-version",
                    Severity.DANGER,
                    is(found) + held(connection) + ". Every acquisition is refused.",
                    remedy()));
        }
        if (!tables.prefix().equals(Tables.DEFAULT_PREFIX)) {
            findings.addAll(
                    new TableVersion(dialect, new Tables(Tables.DEFAULT_PREFIX)).findingsFromBeside(connection));
        }
        return findings;
    }

    private List<Finding> findingsFromBeside(Connection connection) throws SQLException {
        int found = read(connection);
        return found == NONE || found == CURRENT
                ? List.of()
                : List.of(new Finding(
                        "jdbc.other-version",
                        Severity.WARNING,
                        "In the same database " + is(found) + held(connection)
                                + ". Processes that use those tables and this one do not keep each other out.",
                        "If they are of the same application, stop the processes of the other version first, and drop"
                                + " those tables when none is left."));
    }

    private String is(int found) {
        return "the tables " + tables.prefix() + "… are of version " + found + ", and this is for version " + CURRENT;
    }

    private String remedy() {
        return tables.in(
                        "Nothing was changed. Stop every process that uses them; then drop holdfast_lock, holdfast_queue,"
                                + " holdfast_share, holdfast_share_queue and holdfast_fence, those that are there, and create"
                                + " them anew with JdbcBackend.createTables or \"holdfast init\".")
                + " Keep holdfast_guard and holdfast_guard_move if they are there: they have no version. A SQLite file with"
                + " nothing else in it can be moved away instead. A tablePrefix of its own lets this version start beside the"
                + " other, but the two do not keep each other out.";
    }

    /** As many as there are now; a later version may count in another way. */
    private String held(Connection connection) throws SQLException {
        String count = "SELECT count(*) FROM holdfast_lock WHERE expires_at > " + dialect.nowMicros();
        try {
            long held = Sql.query(connection, tables.in(count), row -> row.getLong(1))
                    .get(0);
            return ", with " + held + (held == 1 ? " lock" : " locks") + " held in them";
        } catch (SQLException e) {
            if (dialect.judge(e) == Verdict.FOREIGN_TABLES) {
                return "";
            }
            throw e;
        }
    }

    /**
     * The number that is recorded; without one, what the columns say: version 1 recorded none, and the row is lost with all
     * others if somebody empties the table. The columns also count if the number is ours: the files that create tables
     * leave those of version 1 as they are, and add the number.
     */
    private int read(Connection connection) throws SQLException {
        try {
            List<Integer> number = Sql.query(connection, recorded, row -> row.getInt(1));
            if (!number.isEmpty() && number.get(0) != CURRENT) {
                return number.get(0);
            }
        } catch (SQLException e) {
            return noneOrThrow(e);
        }
        if (hasColumns(connection, columns)) {
            return CURRENT;
        }
        return hasColumns(connection, firstColumns) ? 1 : NONE;
    }

    private boolean hasColumns(Connection connection, String query) throws SQLException {
        try {
            Sql.query(connection, query, row -> "");
            return true;
        } catch (SQLException e) {
            return noneOrThrow(e) != NONE;
        }
    }

    private int noneOrThrow(SQLException e) throws SQLException {
        return switch (dialect.judge(e)) {
            case NO_TABLES, FOREIGN_TABLES -> NONE;
            default -> throw e;
        };
    }
}
