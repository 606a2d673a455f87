package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The steps of semaphores and read-write locks, on every database: as short transactions under the bucket's mutex, in tables of
 * their own. Whoever gets there serves the queue, so after each step nobody waits who could be served.
 */
final class SharedSteps implements Steps {
    private final Dialect dialect;
    private final ShareTransactions transactions;
    private final SharePlaces places;
    private final Renewals renewals;

    SharedSteps(Dialect dialect, Tables tables, BucketTransactions inBuckets, ShareTransactions transactions) {
        this.dialect = dialect;
        this.transactions = transactions;
        places = new SharePlaces(dialect, tables);
        renewals = new Renewals(dialect, tables, inBuckets, "holdfast_share", Share.KNOWN);
    }

    @Override
    public AcquireResult acquire(Connection connection, Claim claim, long notAfterMicros, String inbox)
            throws SQLException {
        String owner = claim.owner().toString();
        if (notAfterMicros <= 0) {
            // The database's clock is not known yet, so this request counts as late in any case. Reading needs no
            // mutex.
            ShareLook look = transactions.look(connection, claim.key());
            return new AcquireResult(look.nowMicros(), true, ShareLook.asOne(look.held()), false);
        }
        // Where hints are not lost, a claim asks because there is something to do.
        boolean polls = inbox.isEmpty() || !dialect.losesNoHints();
        if (polls && places.has(owner, inbox)) {
            AcquireResult waiting = places.waiting(connection, claim);
            if (waiting != null) {
                return waiting;
            }
        }
        places.remove(owner);
        AcquireResult found = transactions.run(
                connection, claim.key(), (look, changes) -> acquire(claim, notAfterMicros, inbox, look, changes));
        if (found.queued()) {
            places.add(owner, inbox);
        }
        return found;
    }

    private static AcquireResult acquire(
            Claim claim, long notAfterMicros, String inbox, ShareLook look, ShareChanges changes) {
        String owner = claim.owner().toString();
        long now = look.nowMicros();
        if (now > notAfterMicros) {
            // Executed later than the caller waits for an answer: refuse, or it would be held by nobody.
            return new AcquireResult(now, true, ShareLook.asOne(look.held()), false);
        }
        // Before anything is given: a claim that was handed one slot must not be given a second one.
        Share mine = look.shareOf(owner);
        if (mine != null && !mine.isOver(now)) {
            changes.extend(mine, Math.max(mine.row().expiresMicros(), now + PollIntervals.micros(claim.lease())));
            return AcquireResult.granted(now, mine);
        }
        changes.removeExpired(null, owner);
        ShareClaim me = ShareClaim.of(claim, inbox, now + PATIENCE_MICROS);
        List<ShareClaim> line = line(look, me);
        List<ShareRules.Given> given = changes.serve(line, owner);
        for (Share each : changes.held()) {
            if (each.isOf(owner)) {
                return AcquireResult.granted(now, each);
            }
        }
        if (claim.queue()) {
            changes.enqueue(me);
        }
        List<ShareClaim> ahead = new ArrayList<>(line.subList(0, line.indexOf(me)));
        given.forEach(each -> ahead.remove(each.claim()));
        return new AcquireResult(
                now, false, ShareLook.asOne(changes.held()), claim.queue(), ahead.size() / claim.slots());
    }

    /** A newcomer does not overtake; who stands in the queue keeps its place, even if it has not asked for long. */
    private static List<ShareClaim> line(ShareLook look, ShareClaim me) {
        List<ShareClaim> line = new ArrayList<>();
        for (ShareClaim each : look.queue()) {
            if (each.owner().equals(me.owner())) {
                line.add(me);
            } else if (!each.isOver(look.nowMicros())) {
                line.add(each);
            }
        }
        if (!look.hasPlace(me.owner())) {
            line.add(me);
        }
        return line;
    }

    @Override
    public @Nullable AcquireResult look(Connection connection, Claim claim) throws SQLException {
        ShareLook look = transactions.look(connection, claim.key());
        String owner = claim.owner().toString();
        List<Share> held = look.held();
        boolean mayHave = held.stream().anyMatch(each -> each.isOf(owner))
                || new ShareRules(claim.key(), held).numberFor(ShareClaim.of(claim, "", 0)) >= 0;
        return mayHave ? null : new AcquireResult(look.nowMicros(), false, ShareLook.asOne(held), places.has(owner));
    }

    @Override
    public ReleaseResult vacate(Connection connection, String key, String owner, long token) throws SQLException {
        places.remove(owner);
        return transactions.run(connection, key, (look, changes) -> {
            Share mine = look.shareOf(owner);
            // Compare before delete: once our lease lapsed, the slot may be someone else's, or ours by another grant.
            boolean ours = mine != null && (token == 0 || token == mine.row().token());
            if (mine != null && ours) {
                changes.remove(mine);
            }
            changes.leaveQueue(owner);
            changes.removeExpired(ours ? mine : null, owner);
            List<ShareRules.Given> given = changes.serve(look.lineWithout(owner), "");
            long window = given.stream()
                    .mapToLong(each -> each.claim().window())
                    .max()
                    .orElse(0);
            boolean released = mine != null && ours && !mine.isOver(look.nowMicros());
            return new ReleaseResult(released, window, !released && token > look.counter());
        });
    }

    @Override
    public ReleaseResult keep(Connection connection, String key, String owner, long token, long keepMicros)
            throws SQLException {
        return transactions.run(connection, key, (look, changes) -> {
            Share mine = look.shareOf(owner);
            if (mine == null || mine.isOver(look.nowMicros()) || mine.row().token() != token) {
                return new ReleaseResult(false, 0, token > look.counter());
            }
            changes.extend(mine, look.nowMicros() + keepMicros);
            ShareRules rules = new ShareRules(key, look.held());
            for (ShareClaim each : look.lineWithout(owner)) {
                if (rules.waitsFor(each, mine.number())) {
                    changes.tell(each);
                    return new ReleaseResult(true, keepMicros);
                }
            }
            return new ReleaseResult(true, 0);
        });
    }

    @Override
    public Set<String> renew(Connection connection, List<Holding> holdings) throws SQLException {
        return renewals.renew(connection, holdings);
    }
}
