package dev.holdfast.jdbc.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What one step does to the rows of a key: collected first, then written in one go. Not safe for use by many threads. */
final class ShareChanges {
    /**
     * A statement.
     *
     * @param rows how many rows it has to change, or the step is undone and tried again; {@link #ANY} if that does not matter
     */
    record Write(String sql, int rows, List<Object> parameters) {
        static final int ANY = -1;

        void requireChanged(int changed) throws Collision {
            if (rows != ANY && changed != rows) {
                throw new Collision("something was renewed or swept while it was being handed on");
            }
        }
    }

    private static final String INSERT_SHARE =
            "INSERT INTO holdfast_share (" + Row.COLUMNS + ", name, slot) VALUES (" + Sql.marks(Row.WIDTH + 2) + ")";
    private static final String INSERT_PLACE =
            "INSERT INTO holdfast_share_queue (name, " + ShareClaim.COLUMNS + ") VALUES (" + Sql.marks(12) + ")";

    private final String key;
    private final byte[] name;
    private final ShareLook look;
    private final List<Share> held;
    private final List<Write> writes = new ArrayList<>();
    private final List<ShareClaim> told = new ArrayList<>();

    ShareChanges(String key, ShareLook look) {
        this.key = key;
        this.name = Tables.bytes(key);
        this.look = look;
        this.held = new ArrayList<>(look.held());
    }

    List<Write> writes() {
        return writes;
    }

    /** Who has to ask. */
    List<ShareClaim> told() {
        return told;
    }

    /** Those who hold something after this step. */
    List<Share> held() {
        return held;
    }

    void extend(Share share, long untilMicros) {
        write(
                "UPDATE holdfast_share SET expires_at = ? WHERE name = ? AND slot = ? AND owner = ? AND token = ?",
                Write.ANY,
                untilMicros,
                name,
                share.number(),
                share.row().owner(),
                share.row().token());
    }

    void tell(ShareClaim claim) {
        told.add(claim);
    }

    /** A renewal of its own that comes in between makes no difference. */
    void remove(Share share) {
        held.remove(share);
        write(
                "DELETE FROM holdfast_share WHERE name = ? AND slot = ? AND owner = ? AND token = ?",
                Write.ANY,
                name,
                share.number(),
                share.row().owner(),
                share.row().token());
    }

    void leaveQueue(String owner) {
        if (look.hasPlace(owner)) {
            write("DELETE FROM holdfast_share_queue WHERE name = ? AND owner = ?", Write.ANY, name, owner);
        }
    }

    /**
     * Removes what has expired, so that it can be given to others. Renewals do not take the mutex: if one came in between, it
     * is not removed, and all of this step is undone.
     *
     * @param removed is removed already; null for nothing
     * @param asking keeps its place, because it is evidently there
     */
    void removeExpired(@Nullable Share removed, String asking) {
        long now = look.nowMicros();
        long over = look.shares().stream()
                .filter(each -> each.isOver(now) && !each.equals(removed))
                .count();
        if (over > 0) {
            write("DELETE FROM holdfast_share WHERE name = ? AND expires_at <= ?", (int) over, name, now);
        }
        if (look.queue().stream()
                .anyMatch(each -> each.isOver(now) && !each.owner().equals(asking))) {
            write(
                    "DELETE FROM holdfast_share_queue WHERE name = ? AND expires_at <= ? AND owner <> ?",
                    Write.ANY,
                    name,
                    now,
                    asking);
        }
    }

    /**
     * Gives what is free to those in line, in their order: to the one that asks for its lease, to the others for the claim
     * window, and they have to ask.
     */
    List<ShareRules.Given> serve(List<ShareClaim> line, String asking) {
        List<ShareRules.Given> all = new ShareRules(key, held).serve(line);
        if (all.isEmpty()) {
            return all;
        }
        long now = look.nowMicros();
        List<TokenBlock> blocks = TokenBlock.after(
                look.counter(),
                now,
                all.stream().map(each -> each.claim().tokens()).toList());
        write(
                "UPDATE holdfast_fence SET counter = ? WHERE bucket = ?",
                Write.ANY,
                blocks.get(blocks.size() - 1).last(),
                Tables.bucket(key));
        for (int i = 0; i < all.size(); i++) {
            ShareClaim claim = all.get(i).claim();
            boolean asks = claim.owner().equals(asking);
            long span = asks ? claim.lease() : claim.window();
            TokenBlock block = blocks.get(i);
            // What a waiter says of itself goes with it, also what this client does not know.
            Row row = new Row(
                    claim.owner(),
                    block.last(),
                    block.tokens(),
                    now,
                    now + span,
                    claim.kind(),
                    asks ? Notes.NONE : claim.notes(),
                    claim.holder());
            give(new Share(all.get(i).number(), row));
            if (!asks) {
                told.add(claim);
            }
        }
        leaveQueue(all);
        return all;
    }

    private void give(Share share) {
        held.add(share);
        List<Object> values = share.row().values();
        values.add(name);
        values.add(share.number());
        writes.add(new Write(INSERT_SHARE, Write.ANY, values));
    }

    private void leaveQueue(List<ShareRules.Given> given) {
        Set<String> owners = given.stream()
                .map(each -> each.claim().owner())
                .filter(look::hasPlace)
                .collect(Collectors.toSet());
        if (!owners.isEmpty()) {
            List<Object> parameters = new ArrayList<>();
            parameters.add(name);
            parameters.addAll(owners);
            writes.add(new Write(
                    "DELETE FROM holdfast_share_queue WHERE name = ? AND owner IN (" + Sql.marks(owners.size()) + ")",
                    Write.ANY,
                    parameters));
        }
    }

    /** Keeps its place if it has one. */
    void enqueue(ShareClaim claim) {
        if (look.hasPlace(claim.owner())) {
            write(
                    "UPDATE holdfast_share_queue SET expires_at = ?, inbox = ? WHERE name = ? AND owner = ?",
                    // One that has expired may be swept at this moment.
                    look.hasExpiredPlace(claim.owner()) ? 1 : Write.ANY,
                    claim.expiresMicros(),
                    claim.inbox(),
                    name,
                    claim.owner());
            return;
        }
        write(
                INSERT_PLACE,
                Write.ANY,
                name,
                claim.owner(),
                claim.slots(),
                claim.lease(),
                claim.tokens(),
                claim.inbox(),
                claim.kind(),
                claim.notes(),
                claim.holder().host(),
                claim.holder().pid(),
                claim.holder().description(),
                claim.expiresMicros());
    }

    private void write(String sql, int rows, Object... parameters) {
        writes.add(new Write(sql, rows, List.of(parameters)));
    }
}
