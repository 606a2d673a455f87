package dev.holdfast.jdbc;

import dev.holdfast.Holder;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The steps as short transactions of simple statements, for databases that cannot say them in one. The row of the bucket
 * is the mutex: whoever changes an owner or a queue has it. Renewals do not take it, so what is written is checked again.
 */
final class ScriptedSteps implements Steps {
    /** Rolled back, and to be tried again: somebody was quicker. */
    static final class Collision extends SQLException {
        private static final long serialVersionUID = 1L;

        Collision(String reason) {
            super(reason, "40001");
        }
    }

    private record Waiting(String owner, int tokens, long lease, Holder holder) {}

    private record Look(
            long nowMicros, long counter, @Nullable Row row) {}

    private interface Body<T> {
        T run() throws SQLException;
    }

    private final Dialect dialect;
    private final Tables tables;
    private final String look;

    ScriptedSteps(Dialect dialect, Tables tables) {
        this.dialect = dialect;
        this.tables = tables;
        look = tables.in("SELECT " + dialect.nowMicros() + ", f.counter, l.owner, l.token, l.tokens, l.granted_at,"
                + " l.expires_at, l.host, l.pid, l.description"
                + " FROM holdfast_fence f LEFT JOIN holdfast_lock l ON l.name = ? WHERE f.bucket = ?");
    }

    @Override
    public Sight acquire(Connection connection, Claim claim, long notAfterMicros, String inbox) throws SQLException {
        String owner = claim.owner().toString();
        return inBucket(connection, Tables.bucket(claim.name()), () -> {
            Look look = look(connection, claim.name());
            long now = look.nowMicros();
            if (now > notAfterMicros) {
                return new Sight(now, true, look.row(), false);
            }
            Row row = look.row();
            if (row != null && !row.isOver(now)) {
                return row.owner().equals(owner)
                        ? keep(connection, claim, row, now)
                        : new Sight(now, false, row, enqueue(connection, claim, now));
            }
            Waiting head = head(connection, claim.name(), now, "");
            if (head == null || head.owner().equals(owner)) {
                Waiting me = new Waiting(owner, claim.tokens(), Pace.micros(claim.lease()), claim.holder());
                return new Sight(now, false, give(connection, claim.name(), look, me, me.lease()), false);
            }
            Row lent = give(connection, claim.name(), look, head, window(head));
            return new Sight(now, false, lent, enqueue(connection, claim, now));
        });
    }

    @Override
    public Vacancy vacate(Connection connection, String name, String owner, long token) throws SQLException {
        return inBucket(connection, Tables.bucket(name), () -> {
            Look look = look(connection, name);
            long now = look.nowMicros();
            if (dialect.fair()) {
                sql(connection, "DELETE FROM holdfast_queue WHERE name = ? AND owner = ?", Tables.bytes(name), owner);
            }
            Row row = look.row();
            // Compare before delete: once our lease lapsed, this row may be someone else's.
            boolean ours = row != null && row.owner().equals(owner) && (token == 0 || token == row.token());
            if (row != null && !ours && !row.isOver(now)) {
                return new Vacancy(false, 0);
            }
            boolean released = ours && row != null && !row.isOver(now);
            Waiting next = head(connection, name, now, owner);
            if (next != null) {
                give(connection, name, look, next, window(next));
                return new Vacancy(released, window(next));
            }
            if (row != null) {
                String delete = "DELETE FROM holdfast_lock WHERE name = ? AND owner = ? AND token = ?"
                        + (ours ? "" : " AND expires_at <= " + now);
                sql(connection, delete, Tables.bytes(name), row.owner(), row.token());
            }
            return new Vacancy(released, 0);
        });
    }

    @Override
    public Set<String> renew(Connection connection, List<Holding> holdings) throws SQLException {
        Map<Long, List<Holding>> byLease = new HashMap<>();
        for (Holding holding : holdings) {
            byLease.computeIfAbsent(Pace.micros(holding.lease()), lease -> new ArrayList<>())
                    .add(holding);
        }
        return inTransaction(connection, () -> {
            // Read once: both statements below must mean the same moment.
            long now = Sql.query(connection, "SELECT " + dialect.nowMicros(), row -> row.getLong(1))
                    .get(0);
            Set<String> renewed = new HashSet<>();
            for (Map.Entry<Long, List<Holding>> each : byLease.entrySet()) {
                renewAlike(connection, each.getKey(), each.getValue(), now, renewed);
            }
            return renewed;
        });
    }

    private void renewAlike(Connection connection, long lease, List<Holding> holdings, long now, Set<String> renewed)
            throws SQLException {
        String marks = Sql.marks(holdings.size());
        String which = " WHERE name IN (" + marks + ") AND owner IN (" + marks + ") AND expires_at > " + now;
        Object[] keys = new Object[2 * holdings.size()];
        Map<String, Long> tokens = new HashMap<>();
        for (int i = 0; i < holdings.size(); i++) {
            Holding holding = holdings.get(i);
            keys[i] = Tables.bytes(holding.name());
            keys[holdings.size() + i] = holding.owner();
            tokens.put(holding.owner().toString(), holding.lastToken());
        }
        long until = now + lease;
        // An owner belongs to one name, so the two lists cannot mix. Never shortens.
        sql(
                connection,
                "UPDATE holdfast_lock SET expires_at = CASE WHEN expires_at < " + until + " THEN " + until
                        + " ELSE expires_at END" + which,
                keys);
        Sql.query(
                connection,
                tables.in("SELECT owner, token FROM holdfast_lock" + which),
                // The token too: the same owner may have been granted anew.
                row -> Long.valueOf(row.getLong(2)).equals(tokens.get(row.getString(1)))
                        && renewed.add(row.getString(1)),
                keys);
    }

    private Look look(Connection connection, String name) throws SQLException {
        return Sql.query(
                        connection,
                        look,
                        row -> new Look(row.getLong(1), row.getLong(2), Row.read(row, 3)),
                        Tables.bytes(name),
                        Tables.bucket(name))
                .get(0);
    }

    private Sight keep(Connection connection, Claim claim, Row row, long now) throws SQLException {
        long until = Math.max(row.expiresMicros(), now + Pace.micros(claim.lease()));
        sql(
                connection,
                "UPDATE holdfast_lock SET expires_at = ? WHERE name = ? AND owner = ? AND expires_at < ?",
                until,
                Tables.bytes(claim.name()),
                row.owner(),
                until);
        return new Sight(now, false, row, false);
    }

    private Row give(Connection connection, String name, Look look, Waiting to, long span) throws SQLException {
        long now = look.nowMicros();
        long token = Math.max(look.counter() + to.tokens(), now);
        sql(connection, "UPDATE holdfast_fence SET counter = ? WHERE bucket = ?", token, Tables.bucket(name));
        Row given = new Row(to.owner(), token, to.tokens(), now, now + span, to.holder());
        Row before = look.row();
        if (before == null) {
            insert(connection, name, given);
        } else {
            replace(connection, name, before, given);
        }
        if (dialect.fair()) {
            sql(
                    connection,
                    "DELETE FROM holdfast_queue WHERE name = ? AND (owner = ? OR expires_at <= ?)",
                    Tables.bytes(name),
                    to.owner(),
                    now);
        }
        return given;
    }

    private void insert(Connection connection, String name, Row given) throws SQLException {
        sql(
                connection,
                "INSERT INTO holdfast_lock (" + Row.COLUMNS + ", name) VALUES (" + Sql.marks(9) + ")",
                values(given, Tables.bytes(name)));
    }

    /** The row must still be what we looked at, or have been renewed by the owner that gives it up. */
    private void replace(Connection connection, String name, Row before, Row given) throws SQLException {
        boolean expired = before.isOver(given.grantedMicros());
        int changed = sql(
                connection,
                "UPDATE holdfast_lock SET owner = ?, token = ?, tokens = ?, granted_at = ?, expires_at = ?, host = ?,"
                        + " pid = ?, description = ? WHERE name = ? AND owner = ? AND token = ?"
                        + (expired ? " AND expires_at <= " + given.grantedMicros() : ""),
                values(given, Tables.bytes(name), before.owner(), before.token()));
        if (changed == 0) {
            throw new Collision("the lock was renewed or swept while it was being handed on");
        }
    }

    private static Object[] values(Row row, Object... more) {
        Object[] all = new Object[8 + more.length];
        all[0] = row.owner();
        all[1] = row.token();
        all[2] = row.tokens();
        all[3] = row.grantedMicros();
        all[4] = row.expiresMicros();
        all[5] = row.holder().host();
        all[6] = row.holder().pid();
        all[7] = row.holder().description();
        System.arraycopy(more, 0, all, 8, more.length);
        return all;
    }

    /** The first live waiter but that one. */
    private @Nullable Waiting head(Connection connection, String name, long now, String butNot) throws SQLException {
        if (!dialect.fair()) {
            return null;
        }
        List<Waiting> first = Sql.query(
                connection,
                tables.in("SELECT owner, tokens, lease, host, pid, description FROM holdfast_queue"
                        + " WHERE name = ? AND expires_at > ? AND owner <> ? ORDER BY place LIMIT 1"),
                ScriptedSteps::readWaiting,
                Tables.bytes(name),
                now,
                butNot);
        return first.isEmpty() ? null : first.get(0);
    }

    private static Waiting readWaiting(ResultSet row) throws SQLException {
        return new Waiting(row.getString(1), row.getInt(2), row.getLong(3), Row.holder(row, 4));
    }

    /** Keeps its place if it has one. */
    private boolean enqueue(Connection connection, Claim claim, long now) throws SQLException {
        if (!dialect.fair() || !claim.queue()) {
            return false;
        }
        byte[] name = Tables.bytes(claim.name());
        int refreshed = sql(
                connection,
                "UPDATE holdfast_queue SET expires_at = ? WHERE name = ? AND owner = ?",
                now + PATIENCE_MICROS,
                name,
                claim.owner());
        if (refreshed == 0) {
            sql(
                    connection,
                    "INSERT INTO holdfast_queue (name, owner, lease, tokens, inbox, host, pid, description, expires_at)"
                            + " VALUES (" + Sql.marks(9) + ")",
                    name,
                    claim.owner(),
                    Pace.micros(claim.lease()),
                    claim.tokens(),
                    "",
                    claim.holder().host(),
                    claim.holder().pid(),
                    claim.holder().description(),
                    now + PATIENCE_MICROS);
        }
        return true;
    }

    private static long window(Waiting waiting) {
        return Math.min(CLAIM_WINDOW_MICROS, waiting.lease());
    }

    private int sql(Connection connection, String sql, Object... parameters) throws SQLException {
        return Sql.update(connection, tables.in(sql), parameters);
    }

    // ---- transactions

    /** With the bucket's mutex. */
    private <T> T inBucket(Connection connection, int bucket, Body<T> body) throws SQLException {
        return inTransaction(connection, () -> {
            List<Integer> found = Sql.query(
                    connection,
                    tables.in("SELECT bucket FROM holdfast_fence WHERE bucket = ?" + dialect.forUpdate()),
                    row -> row.getInt(1),
                    bucket);
            if (found.isEmpty()) {
                addBucket(connection, bucket);
            }
            return body.run();
        });
    }

    private void addBucket(Connection connection, int bucket) throws SQLException {
        try {
            sql(connection, "INSERT INTO holdfast_fence (bucket, counter) VALUES (?, 0)", bucket);
        } catch (SQLException e) {
            if (String.valueOf(e.getSQLState()).startsWith("23")) {
                throw new Collision("somebody else has just added the bucket");
            }
            throw e;
        }
    }

    private <T> T inTransaction(Connection connection, Body<T> body) throws SQLException {
        dialect.begin(connection);
        try {
            T result = body.run();
            dialect.commit(connection);
            return result;
        } catch (SQLException | RuntimeException e) {
            rollBack(connection, e);
            throw e;
        }
    }

    private void rollBack(Connection connection, Exception because) {
        try {
            dialect.rollback(connection);
        } catch (SQLException alsoBroken) {
            // The connection is gone, and the transaction with it.
            because.addSuppressed(alsoBroken);
        }
    }
}
