package dev.holdfast.jdbc.sql;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The steps as short transactions of simple statements, for databases that cannot do them in one statement. The row of the bucket
 * is the mutex: whoever changes an owner or a queue has it. Renewals do not take it, so what is written is checked again.
 */
public final class ScriptedSteps implements Steps {
    private record Waiting(
            String owner, int tokens, long lease, String inbox, String kind, String notes, Holder holder) {}

    /** @param queue how many stand in the queue, those included that have gone without a word */
    private record Look(
            long nowMicros,
            long counter,
            int queue,
            @Nullable Row row) {}

    private final Dialect dialect;
    private final Tables tables;
    private final Notifier teller;
    private final BucketTransactions transactions;
    private final LockRows rows;
    private final String look;
    private final QueuePlaces places;
    private final Renewals renewals;

    public ScriptedSteps(Dialect dialect, Tables tables, Duration commandTimeout, Notifier teller) {
        this.dialect = dialect;
        this.transactions = new BucketTransactions(dialect, tables, commandTimeout);
        this.rows = new LockRows(transactions);
        this.tables = tables;
        this.teller = teller;
        look = tables.in("SELECT " + dialect.nowMicros() + ", f.counter,"
                + " (SELECT count(*) FROM holdfast_queue q WHERE q.name = ?), "
                + Row.columnsOf("l")
                + " FROM holdfast_fence f LEFT JOIN holdfast_lock l ON l.name = ? WHERE f.bucket = ?");
        places = new QueuePlaces(dialect, tables);
        renewals = new Renewals(dialect, tables, transactions, "holdfast_lock", "kind = 'x'");
    }

    @Override
    public AcquireResult acquire(Connection connection, Claim claim, long notAfterMicros, String inbox)
            throws SQLException {
        String owner = claim.owner().toString();
        if (notAfterMicros <= 0) {
            // The database's clock is not known yet, so this request counts as late in any case. Reading needs no
            // mutex.
            List<Look> seen = looks(connection, claim.key());
            Look first = seen.isEmpty() ? null : seen.get(0);
            return new AcquireResult(
                    first == null ? now(connection) : first.nowMicros(),
                    true,
                    first == null ? null : first.row(),
                    false);
        }
        if (places.has(owner, inbox)) {
            AcquireResult waiting = places.waiting(connection, claim);
            if (waiting != null) {
                return waiting;
            }
        }
        String[] tell = {""};
        AcquireResult seen = transactions.inBucket(connection, Tables.bucket(claim.key()), () -> {
            places.remove(owner);
            Look look = look(connection, claim.key());
            long now = look.nowMicros();
            if (now > notAfterMicros) {
                return new AcquireResult(now, true, look.row(), false);
            }
            Row row = look.row();
            if (row != null && !row.isOver(now)) {
                return row.isOf(owner)
                        ? grantAgain(connection, claim, row, now)
                        : enqueue(connection, claim, row, now, inbox);
            }
            Waiting head = head(connection, claim.key(), look, "");
            if (head == null || head.owner().equals(owner)) {
                Waiting me = new Waiting(
                        owner,
                        claim.tokens(),
                        PollIntervals.micros(claim.lease()),
                        inbox,
                        Row.EXCLUSIVE,
                        Notes.NONE,
                        claim.holder());
                return new AcquireResult(now, false, give(connection, claim.key(), look, me, me.lease()), false);
            }
            Row provisional = give(connection, claim.key(), look, head, window(head));
            tell[0] = head.inbox();
            return enqueue(connection, claim, provisional, now, inbox);
        });
        // After the commit: whoever is told asks at once, and must find it.
        teller.tell(tell[0], claim.key());
        if (seen.queued()) {
            places.add(owner, inbox);
        }
        return seen;
    }

    @Override
    public @Nullable AcquireResult look(Connection connection, Claim claim) throws SQLException {
        return places.held(connection, claim);
    }

    /** How many claims of this process are believed to have a place. */
    public int knownPlaces() {
        return places.size();
    }

    private long now(Connection connection) throws SQLException {
        return Sql.query(connection, "SELECT " + dialect.nowMicros(), row -> row.getLong(1))
                .get(0);
    }

    @Override
    public ReleaseResult vacate(Connection connection, String name, String owner, long token) throws SQLException {
        places.remove(owner);
        String[] tell = {""};
        ReleaseResult result = transactions.inBucket(connection, Tables.bucket(name), () -> {
            Look look = look(connection, name);
            long now = look.nowMicros();
            if (look.queue() > 0) {
                sql(connection, "DELETE FROM holdfast_queue WHERE name = ? AND owner = ?", Tables.bytes(name), owner);
            }
            Row row = look.row();
            // Compare before delete: once our lease lapsed, this row may be someone else's.
            boolean ours = row != null && row.isOf(owner) && (token == 0 || token == row.token());
            if (row != null && !ours && !row.isOver(now)) {
                return new ReleaseResult(false, 0, token > look.counter());
            }
            boolean released = ours && row != null && !row.isOver(now);
            Waiting next = head(connection, name, look, owner);
            if (next != null) {
                give(connection, name, look, next, window(next));
                tell[0] = next.inbox();
                return new ReleaseResult(released, window(next));
            }
            if (row != null) {
                String delete = "DELETE FROM holdfast_lock WHERE name = ? AND owner = ? AND token = ?"
                        + (ours ? "" : " AND expires_at <= " + now);
                sql(connection, delete, Tables.bytes(name), row.owner(), row.token());
            }
            return new ReleaseResult(released, 0, token > look.counter());
        });
        teller.tell(tell[0], name);
        return result;
    }

    @Override
    public ReleaseResult keep(Connection connection, String name, String owner, long token, long keepMicros)
            throws SQLException {
        String[] tell = {""};
        ReleaseResult result = transactions.inBucket(connection, Tables.bucket(name), () -> {
            Look look = look(connection, name);
            Row row = look.row();
            if (row == null || row.isOver(look.nowMicros()) || !row.isOf(owner) || row.token() != token) {
                return new ReleaseResult(false, 0, token > look.counter());
            }
            sql(
                    connection,
                    "UPDATE holdfast_lock SET expires_at = ? WHERE name = ? AND owner = ? AND token = ?",
                    look.nowMicros() + keepMicros,
                    Tables.bytes(name),
                    owner,
                    token);
            Waiting first = head(connection, name, look, owner);
            if (first != null) {
                tell[0] = first.inbox();
            }
            return new ReleaseResult(true, first == null ? 0 : keepMicros);
        });
        teller.tell(tell[0], name);
        return result;
    }

    @Override
    public Set<String> renew(Connection connection, List<Holding> holdings) throws SQLException {
        return renewals.renew(connection, holdings);
    }

    private Look look(Connection connection, String name) throws SQLException {
        List<Look> seen = looks(connection, name);
        if (seen.isEmpty()) {
            transactions.addBucket(connection, Tables.bucket(name));
            seen = looks(connection, name);
        }
        return seen.get(0);
    }

    /** One, or none if the bucket has no row yet. */
    private List<Look> looks(Connection connection, String name) throws SQLException {
        byte[] key = Tables.bytes(name);
        return Sql.query(
                connection,
                look,
                row -> new Look(row.getLong(1), row.getLong(2), row.getInt(3), Row.read(row, 4)),
                key,
                key,
                Tables.bucket(name));
    }

    private AcquireResult grantAgain(Connection connection, Claim claim, Row row, long now) throws SQLException {
        long until = Math.max(row.expiresMicros(), now + PollIntervals.micros(claim.lease()));
        sql(
                connection,
                "UPDATE holdfast_lock SET expires_at = ? WHERE name = ? AND owner = ? AND expires_at < ?",
                until,
                Tables.bytes(claim.key()),
                row.owner(),
                until);
        return new AcquireResult(now, false, row, false);
    }

    private Row give(Connection connection, String name, Look look, Waiting to, long span) throws SQLException {
        long now = look.nowMicros();
        TokenBlock block = TokenBlock.after(look.counter(), now, to.tokens());
        sql(connection, "UPDATE holdfast_fence SET counter = ? WHERE bucket = ?", block.last(), Tables.bucket(name));
        Row given =
                new Row(to.owner(), block.last(), block.tokens(), now, now + span, to.kind(), to.notes(), to.holder());
        Row before = look.row();
        if (before == null) {
            rows.insert(connection, name, given);
        } else {
            rows.replace(connection, name, before, given);
        }
        if (look.queue() > 0) {
            sql(
                    connection,
                    "DELETE FROM holdfast_queue WHERE name = ? AND (owner = ? OR expires_at <= ?)",
                    Tables.bytes(name),
                    to.owner(),
                    now);
        }
        return given;
    }

    /** The first waiter that has not expired, except that owner. */
    private @Nullable Waiting head(Connection connection, String name, Look look, String butNot) throws SQLException {
        if (look.queue() == 0) {
            return null;
        }
        List<Waiting> first = Sql.query(
                connection,
                tables.in("SELECT owner, tokens, lease, inbox, kind, notes, host, pid, description FROM holdfast_queue"
                        + " WHERE name = ? AND expires_at > ? AND owner <> ? ORDER BY place LIMIT 1"),
                ScriptedSteps::readWaiting,
                Tables.bytes(name),
                look.nowMicros(),
                butNot);
        return first.isEmpty() ? null : first.get(0);
    }

    private static Waiting readWaiting(ResultSet row) throws SQLException {
        return new Waiting(
                row.getString(1),
                row.getInt(2),
                row.getLong(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                Row.holder(row, 7));
    }

    /** Keeps its place if it has one. */
    private AcquireResult enqueue(Connection connection, Claim claim, Row held, long now, String inbox)
            throws SQLException {
        if (!claim.queue()) {
            return new AcquireResult(now, false, held, false);
        }
        byte[] name = Tables.bytes(claim.key());
        int refreshed = sql(
                connection,
                "UPDATE holdfast_queue SET expires_at = ?, inbox = ? WHERE name = ? AND owner = ?",
                now + PATIENCE_MICROS,
                inbox,
                name,
                claim.owner());
        if (refreshed == 0) {
            sql(
                    connection,
                    "INSERT INTO holdfast_queue (name, owner, lease, tokens, inbox, kind, notes, host, pid,"
                            + " description, expires_at) VALUES (" + Sql.marks(11) + ")",
                    name,
                    claim.owner(),
                    PollIntervals.micros(claim.lease()),
                    claim.tokens(),
                    inbox,
                    Row.EXCLUSIVE,
                    Notes.of(claim),
                    claim.holder().host(),
                    claim.holder().pid(),
                    claim.holder().description(),
                    now + PATIENCE_MICROS);
        }
        return new AcquireResult(now, false, held, true, places.ahead(connection, claim));
    }

    private static long window(Waiting waiting) {
        return Math.min(CLAIM_WINDOW_MICROS, waiting.lease());
    }

    private int sql(Connection connection, String sql, Object... parameters) throws SQLException {
        return transactions.update(connection, sql, parameters);
    }
}
