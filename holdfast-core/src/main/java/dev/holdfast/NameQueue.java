package dev.holdfast;

import static dev.holdfast.Effect.Nothing.NOTHING;

import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.spi.Renewal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Everything this process knows about one key: who waits, the one claim at the backend, what is held. A pure state
 * machine: each method is a step that decides under the key's lock and returns what to do after it; none does I/O or
 * calls a user.
 *
 * <p>Between steps: somebody waits if and only if there is a claim, or a tenure that is held alone and will come to an end;
 * these two never exist together; a tenure always has an open lease. Of a lock, and for a writer, there is one tenure, held
 * alone. Of a semaphore and for readers there may be several, and a claim beside them.
 *
 * <p>Knows neither its name nor its engine: whoever waits does, and a hundred thousand of these may only be held.
 */
final class NameQueue {
    private static final long FIRST_BACKOFF_NANOS = 50_000_000;
    private static final int MOST_DOUBLINGS = 4;
    /** How often the time for an answer is doubled. */
    private static final int MOST_OVERDUE = 3;
    /** A backend that says "at once" must not make us spin. */
    private static final long SHORTEST_RETRY_NANOS = 1_000_000;

    private @Nullable ArrayDeque<Waiter> waiters;
    private @Nullable LocalClaim claim;
    /** The first of a {@link TenureChain}. */
    private @Nullable Tenure tenure;

    boolean isEmpty() {
        return waiters == null && claim == null && tenure == null;
    }

    @Nullable
    Tenure tenure() {
        return tenure;
    }

    /** How many leases are open. */
    int held() {
        int held = 0;
        for (Tenure each = tenure; each != null; each = TenureChain.after(each)) {
            held += each.lease == null ? 0 : each.leases().size();
        }
        return held;
    }

    int waiting() {
        return waiters == null ? 0 : waiters.size();
    }

    // ---- waiters come and go

    Effect join(Waiter waiter, long nowNanos) {
        Tenure open = waiters == null ? toReadAlong(waiter, nowNanos) : null;
        if (open != null) {
            return deliver(waiter, open, open.leases().get(0).votes(), nowNanos);
        }
        if (waiter.immediate && (heldAlone() != null || (claim != null && !mayLeaveRoomFor(waiter, claim)))) {
            // Others were here first. But if the store fails them, that is what there is to say.
            Throwable failure = claim == null ? null : claim.failure;
            return refuse(waiter, failure == null ? Refusal.Kind.BUSY : Refusal.Kind.UNAVAILABLE, failure);
        }
        if (waiters == null) {
            waiters = new ArrayDeque<>(2);
        }
        waiters.add(waiter);
        Effect warning = warnOfSelfDeadlock(waiter);
        if (heldAlone() == null && claim == null) {
            return warning.then(claimForHead(nowNanos));
        }
        // It may know of more slots than all before it.
        Effect waits = beginsToWait(waiter).then(warning);
        return waiter.terms.slots() == 0 ? waits : waits.then(afterLeaving(nowNanos));
    }

    private @Nullable Tenure heldAlone() {
        return tenure == null ? null : TenureChain.heldAlone(tenure);
    }

    /** Whether the answer to a question that is on its way can be good news for this one, too. Of a lock it cannot. */
    private static boolean mayLeaveRoomFor(Waiter waiter, LocalClaim asked) {
        return asked.inFlight && !asked.queued && asked.failure == null && LockKey.kindOf(waiter.key) != LockKind.LOCK;
    }

    /** A reader finds others of its process reading, and nobody waits in front. */
    private @Nullable Tenure toReadAlong(Waiter waiter, long nowNanos) {
        if (waiter.terms.shared()) {
            for (Tenure each = tenure; each != null; each = TenureChain.after(each)) {
                if (each.canServe(waiter, nowNanos)) {
                    return each;
                }
            }
        }
        return null;
    }

    /** Permits do not exclude each other, nor do readers: a thread may well wait for its second. */
    private Effect warnOfSelfDeadlock(Waiter waiter) {
        if (waiter.terms.slots() == 0 && !waiter.immediate) {
            for (Tenure each = tenure; each != null; each = TenureChain.after(each)) {
                for (TenureLease lease : each.leases()) {
                    boolean together = waiter.terms.shared() && each.terms.shared();
                    if (!together && lease.wasAcquiredBy(waiter.threadName)) {
                        return new Effect.WarnOfSelfDeadlock(waiter, lease);
                    }
                }
            }
        }
        return NOTHING;
    }

    private static Effect beginsToWait(Waiter waiter) {
        if (waiter.toldWaiting || !waiter.engine.reports.isHeard()) {
            return NOTHING;
        }
        waiter.toldWaiting = true;
        return new Effect.ReportWaiting(waiter);
    }

    /** A waiter gives up. Nothing happens if it was settled before: then its lease is on the way. */
    Effect leave(Waiter waiter, Refusal.Kind why, long nowNanos) {
        if (waiter.settled || waiters == null || !waiters.remove(waiter)) {
            return NOTHING;
        }
        // Busy is what the backend said. If it said nothing, the caller must not be told that it did.
        boolean outage = why == Refusal.Kind.BUSY && claim != null && !claim.wasAnsweredDuringTheWaitOf(waiter);
        Effect refusal = refuse(waiter, outage ? Refusal.Kind.UNAVAILABLE : why, claim == null ? null : claim.failure);
        return refusal.then(afterLeaving(nowNanos));
    }

    Effect closeAll(long nowNanos) {
        return refuseAll(waiter -> true, Refusal.Kind.CLOSED, null).then(afterLeaving(nowNanos));
    }

    /** The claim was made for those who waited; whoever waits now may want something else, or nobody be left. */
    private Effect afterLeaving(long nowNanos) {
        if (waiters != null && waiters.isEmpty()) {
            waiters = null;
        }
        if (claim == null) {
            return NOTHING;
        }
        if (waiters == null) {
            return dropClaim();
        }
        if (claim.terms.serve(wanted(waiters))) {
            return NOTHING;
        }
        LocalClaim before = claim;
        Effect drop = dropClaim();
        Effect ask = claimForHead(nowNanos);
        if (claim != null) {
            claim.inheritAnswer(before, nowNanos);
        }
        return drop.then(ask);
    }

    // ---- the claim

    private Effect claimForHead(long nowNanos) {
        if (waiters == null || claim != null) {
            return NOTHING;
        }
        Waiter head = waiters.element();
        claim = new LocalClaim(head.engine, head.key, wanted(waiters), !head.immediate);
        return ask(claim, nowNanos);
    }

    /**
     * What the first in line wants. Of a semaphore any slot that somebody in line can have on the same terms: who knows of fewer slots
     * must not keep the others from those that it cannot have.
     */
    private static Terms wanted(ArrayDeque<Waiter> line) {
        Terms first = line.element().terms;
        if (first.slots() == 0) {
            return first;
        }
        int slots = first.slots();
        for (Waiter each : line) {
            if (first.canShareTenureWith(each.terms)) {
                slots = Math.max(slots, each.terms.slots());
            }
        }
        return slots == first.slots() ? first : first.ofSemaphore(slots);
    }

    /** For those who waited while this process had the lock: that was an answer, unless the store had fallen silent. */
    private Effect claimAfter(Tenure ended, long nowNanos) {
        if (claim != null || heldAlone() != null) {
            return NOTHING;
        }
        Effect ask = claimForHead(nowNanos);
        if (claim != null && !ended.isUncertain()) {
            claim.noteHeldHere(ended.isOver(nowNanos) ? ended.validUntilNanos : nowNanos);
        }
        return ask;
    }

    /** The alarm guards against an answer that never comes. */
    private Effect ask(LocalClaim asking, long nowNanos) {
        asking.noteAsked(nowNanos);
        asking.fireAtNanos =
                nowNanos + asking.engine.settings.unavailableAfter().toNanos();
        return new Effect.Ask(asking);
    }

    /** Time has passed since the last answer, so the connection may be another one. */
    private Effect askAnew(LocalClaim asking, long nowNanos) {
        if (!asking.isOfAnEarlierConnection()) {
            return ask(asking, nowNanos);
        }
        LocalClaim fresh = asking.underNewOwner();
        fresh.inheritAnswer(asking, nowNanos);
        asking.fireAtNanos = Alarm.NEVER;
        claim = fresh;
        return new Effect.Rearm(asking).then(ask(fresh, nowNanos));
    }

    private static Effect askLater(LocalClaim asking, long delayNanos, long nowNanos) {
        asking.fireAtNanos = nowNanos + delayNanos;
        return new Effect.Rearm(asking);
    }

    /** Busy and not queued is the one proof that there is nothing to take back. */
    private Effect dropClaim() {
        LocalClaim dropped = claim;
        claim = null;
        if (dropped == null) {
            return NOTHING;
        }
        dropped.fireAtNanos = Alarm.NEVER;
        Effect rearm = new Effect.Rearm(dropped);
        return dropped.inFlight || dropped.queued ? rearm.then(Effect.Withdraw.of(dropped, dropped.inFlight)) : rearm;
    }

    Effect answered(LocalClaim asked, Answer answer, long nowNanos) {
        if (answer instanceof Answer.Granted granted) {
            return granted(asked.key, asked.owner, granted.grant(), nowNanos);
        }
        return busy(asked, (Answer.Busy) answer, nowNanos);
    }

    private Effect busy(LocalClaim asked, Answer.Busy busy, long nowNanos) {
        if (asked != claim) {
            // Its withdrawal may have overtaken it; then it has just been queued for nobody. Or its grant has.
            return busy.queued() && !isTenureOf(asked) ? Effect.Withdraw.of(asked, false) : NOTHING;
        }
        asked.inFlight = false;
        asked.queued = busy.queued();
        asked.heldBy = busy.heldBy();
        asked.noteAnswer();
        Effect refusals =
                refuseAll(waiter -> waiter.immediate, Refusal.Kind.BUSY, null).then(afterLeaving(nowNanos));
        if (claim != asked || waiters == null) {
            return refusals;
        }
        // Whoever is behind the first found somebody else waiting, and was told when it joined.
        refusals = refusals.then(beginsToWait(waiters.element()));
        if (!asked.queueing || asked.askAgain) {
            asked.queueing = true;
            return refusals.then(askAnew(asked, nowNanos));
        }
        long delay = Math.max(SHORTEST_RETRY_NANOS, busy.retryAfter().toNanos());
        return refusals.then(askLater(asked, busy.queued() ? delay : asked.engine.spread(delay), nowNanos));
    }

    /** Exceptional completion: the claim may have been granted, unless the exception proves otherwise. */
    Effect failed(LocalClaim asked, Throwable failure, long nowNanos) {
        boolean proven = failure instanceof NotSentException || failure instanceof RefusedException;
        if (asked != claim) {
            return proven ? NOTHING : undoLater(asked);
        }
        asked.inFlight = false;
        if (proven) {
            return retryAfterFailure(asked, failure, nowNanos);
        }
        asked.fireAtNanos = Alarm.NEVER;
        LocalClaim fresh = asked.underNewOwner();
        claim = fresh;
        return new Effect.Rearm(asked)
                .then(Effect.Withdraw.of(asked, true))
                .then(retryAfterFailure(fresh, failure, nowNanos));
    }

    /** A pushed grant may have overtaken the question: then the owner is in use, and is taken back when that ends. */
    private Effect undoLater(LocalClaim asked) {
        Tenure inUse = TenureChain.of(tenure, asked.owner);
        if (inUse != null) {
            inUse.unsettled = true;
            return NOTHING;
        }
        return Effect.Withdraw.of(asked, true);
    }

    private boolean isTenureOf(LocalClaim asked) {
        return TenureChain.of(tenure, asked.owner) != null;
    }

    private Effect retryAfterFailure(LocalClaim failing, Throwable failure, long nowNanos) {
        long limit = failing.engine.settings.unavailableAfter().toNanos();
        boolean hopeless = failure instanceof RefusedException;
        failing.noteFailure(failure);
        Effect refusals = refuseAll(
                        waiter -> hopeless
                                || waiter.immediate
                                || (!waiter.isLimited()
                                        && nowNanos - failing.failingSinceNanos >= limit
                                        && nowNanos - waiter.sinceNanos >= limit),
                        Refusal.Kind.UNAVAILABLE,
                        failure)
                .then(afterLeaving(nowNanos));
        if (claim != failing) {
            return refusals;
        }
        failing.queueing = true;
        long backoff = FIRST_BACKOFF_NANOS << Math.min(failing.failures - 1, MOST_DOUBLINGS);
        return refusals.then(askLater(failing, failing.engine.spread(backoff), nowNanos));
    }

    /** The claim's alarm: time to ask again, or the answer is overdue. */
    Effect claimDue(LocalClaim due, long nowNanos) {
        if (due != claim) {
            return NOTHING;
        }
        if (due.fireAtNanos == Alarm.NEVER || due.fireAtNanos - nowNanos > 0) {
            return new Effect.Rearm(due);
        }
        if (due.inFlight) {
            return unanswered(due, nowNanos);
        }
        return askAnew(due, nowNanos);
    }

    /**
     * A waiter without a limit fails now. For the others, each time that no answer came the next one is waited for longer:
     * whoever withdraws and asks anew as soon as a backend is behind leaves it further behind.
     */
    private Effect unanswered(LocalClaim due, long nowNanos) {
        long limit = due.engine.settings.unavailableAfter().toNanos();
        long waited = nowNanos - due.askedNanos;
        TimeoutException failure = new TimeoutException("the backend has not answered for " + Texts.ofNanos(waited));
        if (waited >= limit << Math.min(due.overdue, MOST_OVERDUE)) {
            due.overdue++;
            return failed(due, failure, nowNanos);
        }
        Effect refusals = refuseAll(
                        waiter -> !waiter.isLimited() && nowNanos - waiter.sinceNanos >= limit,
                        Refusal.Kind.UNAVAILABLE,
                        failure)
                .then(afterLeaving(nowNanos));
        return claim == due ? refusals.then(askLater(due, limit, nowNanos)) : refusals;
    }

    /** Something changed at the backend: ask now, or once the question under way is answered. */
    Effect maybeFree(long nowNanos) {
        if (claim == null) {
            return NOTHING;
        }
        if (claim.inFlight) {
            claim.askAgain = true;
            return NOTHING;
        }
        return askAnew(claim, nowNanos);
    }

    /** One of our own releases has come to an end. A queue at the backend knows by itself, a poll would come late. */
    Effect releaseEnded(long nowNanos) {
        return claim == null || claim.queued ? NOTHING : maybeFree(nowNanos);
    }

    // ---- the tenure

    /** By reply or by push, in either order, any number of times. */
    Effect granted(String key, Owner owner, Grant grant, long nowNanos) {
        if (claim != null && claim.owner.equals(owner)) {
            return begin(claim, grant, nowNanos);
        }
        Tenure known = TenureChain.of(tenure, owner);
        if (known == null) {
            return Effect.Withdraw.unknown(key, owner, grant);
        }
        if (known.lastToken == grant.lastToken() && known.slot() == grant.slot()) {
            known.lengthen(grant.validUntilNanos());
            return new Effect.Rearm(known);
        }
        // Granted twice with another token in between: somebody else may have held it.
        known.provenOver();
        return lose(known, Loss.Kind.LOST, "the backend granted it anew in the meantime", nowNanos)
                .then(Effect.Withdraw.grantedAnew(known, grant));
    }

    private Effect begin(LocalClaim won, Grant grant, long nowNanos) {
        Tenure begun = Tenure.of(won, grant, nowNanos);
        if (begun.isOver(nowNanos)) {
            String text = "the grant took longer to arrive than its lease of " + Texts.of(won.terms.lease());
            return failed(won, new TimeoutException(text), nowNanos);
        }
        claim = null;
        won.fireAtNanos = Alarm.NEVER;
        tenure = TenureChain.add(tenure, begun);
        Effect delivery = new Effect.Rearm(won).then(deliverToHead(begun, grant.votes(), nowNanos));
        return begun.isShared()
                ? delivery.then(readAlong(begun, grant.votes(), nowNanos)).then(claimBeside(nowNanos))
                : delivery;
    }

    /** For those who stand behind whoever has just been served: that was the store's answer to them, too. */
    private Effect claimBeside(long nowNanos) {
        Effect ask = claimForHead(nowNanos);
        if (claim != null) {
            claim.noteServedHere(nowNanos);
        }
        return ask;
    }

    private Effect deliverToHead(Tenure held, Votes votes, long nowNanos) {
        if (waiters == null) {
            throw new IllegalStateException("A claim outlived its waiters: " + held.key);
        }
        Waiter next = held.isShared() ? firstThatKnows(held.slot(), waiters) : waiters.element();
        waiters.remove(next);
        if (waiters.isEmpty()) {
            waiters = null;
        }
        return deliver(next, held, votes, nowNanos);
    }

    /** The first in line that knows of so many slots; the first of all where nobody does, or where there are none. */
    private static Waiter firstThatKnows(int slot, ArrayDeque<Waiter> line) {
        for (Waiter each : line) {
            if (slot < each.terms.slots()) {
                return each;
            }
        }
        return line.element();
    }

    private static Effect deliver(Waiter waiter, Tenure held, Votes votes, long nowNanos) {
        waiter.settle();
        return new Effect.Deliver(waiter, held.newLease(waiter.terms, votes, nowNanos, waiter.threadName));
    }

    /** The readers that stand behind the first one, up to the next writer, as far as the tenure has tokens. */
    private Effect readAlong(Tenure held, Votes votes, long nowNanos) {
        Effect deliveries = NOTHING;
        while (waiters != null && waiters.element().terms.shared() && held.canServe(waiters.element(), nowNanos)) {
            deliveries = deliveries.then(deliverToHead(held, votes, nowNanos));
        }
        return deliveries;
    }

    /** The holder is done: on to the next waiter here, or back to the backend. */
    Effect release(TenureLease lease, CompletableFuture<Void> done, long nowNanos) {
        Tenure held = lease.tenure;
        if (!TenureChain.contains(tenure, held) || !held.isOpen(lease)) {
            return closedAfterLoss(held, lease, done);
        }
        if (held.isOver(nowNanos)) {
            return endOfValidity(held, nowNanos).then(closedAfterLoss(held, lease, done));
        }
        if (lease.isAtBound(nowNanos)) {
            return expireAtBound(held, lease, done, nowNanos);
        }
        lease.ended = TenureLease.RELEASED;
        if (held.close(lease)) {
            return new Effect.HandedOver(lease, done).then(new Effect.Rearm(held));
        }
        if (lease.isBeforeMinimum(nowNanos)) {
            return keepTaken(held, lease, done, nowNanos);
        }
        if (waiters != null && held.canServe(firstThatKnows(held.slot(), waiters), nowNanos)) {
            Effect handedOver = new Effect.HandedOver(lease, done).then(deliverToHead(held, lease.votes(), nowNanos));
            return held.isShared()
                    ? handedOver.then(readAlong(held, lease.votes(), nowNanos)).then(afterLeaving(nowNanos))
                    : handedOver;
        }
        return endTenure(held, lease, done, nowNanos);
    }

    /** The backend may still keep it, and nobody needs it once the last of its holders is done. */
    private static Effect closedAfterLoss(Tenure gone, TenureLease closed, CompletableFuture<Void> done) {
        Effect complete = new Effect.Complete(done);
        return gone.close(closed)
                ? complete
                : Effect.Withdraw.of(gone, gone.unsettled).then(complete);
    }

    private void drop(Tenure ended) {
        tenure = tenure == null ? null : TenureChain.remove(tenure, ended);
        ended.end();
    }

    /** Whoever waits here waits for the end of the minimum, like everybody else: its claim goes to the backend. */
    private Effect keepTaken(Tenure held, TenureLease last, CompletableFuture<Void> done, long nowNanos) {
        drop(held);
        // Before anybody can find that the owner is not in use any more.
        held.engine.withdrawals.keeping(held, last.minimumNanos());
        return new Effect.Keep(last, last.minimumNanos(), held.unsettled, done).then(claimAfter(held, nowNanos));
    }

    /** If a question asked for it is still on its way, it could bring the tenure back to life: so it is withdrawn, too. */
    private Effect endTenure(Tenure held, TenureLease last, @Nullable CompletableFuture<Void> done, long nowNanos) {
        drop(held);
        LocalClaim before = claim;
        claimAfter(held, nowNanos);
        // A claim that was there is on its way already.
        Effect giveBack = new Effect.GiveBack(last, claim == before ? null : claim, done);
        return held.unsettled ? giveBack.then(Effect.Withdraw.of(held, true)) : giveBack;
    }

    /** The tenure's alarm: its validity or its lease's bound has ended, or it is time to renew. */
    Effect tenureDue(Tenure due, long nowNanos) {
        if (due.lease == null || !TenureChain.contains(tenure, due)) {
            return NOTHING;
        }
        if (due.isOver(nowNanos)) {
            return endOfValidity(due, nowNanos);
        }
        TenureLease bounded = due.leaseAtBound(nowNanos);
        if (bounded != null) {
            return expireAtBound(due, bounded, null, nowNanos);
        }
        if (due.isRenewalDue(nowNanos)) {
            due.renewalSent(nowNanos);
            return new Effect.Rearm(due).then(new Effect.Renew(due));
        }
        return new Effect.Rearm(due);
    }

    private Effect endOfValidity(Tenure over, long nowNanos) {
        return over.terms.renewing()
                ? lose(over, Loss.Kind.LOST, "it could not be renewed in time", nowNanos)
                : lose(
                        over,
                        Loss.Kind.EXPIRED,
                        "its fixed lease of " + Texts.of(over.terms.lease()) + " is over",
                        nowNanos);
    }

    /** The holder agreed to this bound, so the lock need not wait for the rest of the lease. */
    private Effect expireAtBound(
            Tenure held, TenureLease lease, @Nullable CompletableFuture<Void> done, long nowNanos) {
        lease.ended = TenureLease.LOST;
        Loss loss = lease.loss(Loss.Kind.EXPIRED, "it was held for as long as heldAtMost allows", nowNanos);
        Effect told = new Effect.Lose(lease, loss);
        if (held.close(lease)) {
            Effect others = told.then(new Effect.Rearm(held));
            return done == null ? others : others.then(new Effect.Complete(done));
        }
        return told.then(endTenure(held, lease, done, nowNanos));
    }

    Effect renewalAnswered(Tenure asked, Renewal renewal, long nowNanos) {
        if (!TenureChain.contains(tenure, asked)) {
            return NOTHING;
        }
        if (renewal instanceof Renewal.Renewed renewed) {
            asked.renewed(renewed.validUntilNanos(), nowNanos);
            Effect rearm = new Effect.Rearm(asked);
            return asked.lease == null ? rearm : rearm.then(new Effect.ReportRenewal(asked.lease));
        }
        if (renewal instanceof Renewal.Unknown unknown) {
            asked.renewalUnknown(nowNanos);
            Effect rearm = new Effect.Rearm(asked);
            return asked.lease == null
                    ? rearm
                    : rearm.then(new Effect.ReportRenewalFailure(asked.lease, unknown.cause()));
        }
        asked.provenOver();
        return lose(
                asked, Loss.Kind.LOST, "the backend no longer knows it: expired there, broken, or forgotten", nowNanos);
    }

    /** The backend proves that an owner of ours is gone. */
    Effect lost(Owner owner, String why, long nowNanos) {
        Tenure gone = TenureChain.of(tenure, owner);
        if (gone != null) {
            gone.provenOver();
            // A fixed lease whose time is over has expired, though the store was faster to say so than our own timer.
            return gone.isOver(nowNanos) && !gone.terms.renewing()
                    ? endOfValidity(gone, nowNanos)
                    : lose(gone, Loss.Kind.LOST, why, nowNanos);
        }
        return claim != null && claim.owner.equals(owner) ? maybeFree(nowNanos) : NOTHING;
    }

    /** For {@link Holdfast#close}: nobody will look after what is held any longer. */
    Effect abandonTenures(long nowNanos) {
        Effect effects = NOTHING;
        for (Tenure each : TenureChain.all(tenure)) {
            effects = effects.then(lose(
                    each, Loss.Kind.LOST, "its Holdfast was closed; the lock stays taken until it expires", nowNanos));
        }
        return effects;
    }

    private Effect lose(Tenure gone, Loss.Kind kind, String why, long nowNanos) {
        List<TenureLease> leases = gone.lease == null ? List.of() : gone.leases();
        drop(gone);
        Effect losses = NOTHING;
        for (TenureLease each : leases) {
            each.ended = TenureLease.LOST;
            losses = losses.then(new Effect.Lose(each, each.loss(kind, why, nowNanos)));
        }
        return losses.then(new Effect.Rearm(gone)).then(claimAfter(gone, nowNanos));
    }

    /** Contact was broken for a while: look after whatever we have at the backend. */
    Effect recheck(long nowNanos) {
        Effect effects = maybeFree(nowNanos);
        for (Tenure each : TenureChain.all(tenure)) {
            effects = effects.then(recheck(each, nowNanos));
        }
        return effects;
    }

    private static Effect recheck(Tenure held, long nowNanos) {
        if (!held.wantsRenewal()) {
            return new Effect.Verify(held);
        }
        held.renewalSent(nowNanos);
        return new Effect.Rearm(held).then(new Effect.Renew(held));
    }

    // ---- saying no

    private Effect refuseAll(Predicate<Waiter> which, Refusal.Kind kind, @Nullable Throwable cause) {
        if (waiters == null) {
            return NOTHING;
        }
        List<Effect> refusals = new ArrayList<>();
        waiters.removeIf(waiter -> which.test(waiter) && refusals.add(refuse(waiter, kind, cause)));
        return refusals.isEmpty() ? NOTHING : new Effect.All(refusals);
    }

    private Effect refuse(Waiter waiter, Refusal.Kind kind, @Nullable Throwable cause) {
        waiter.settle();
        // Who asked once has not waited, however long the answer took.
        boolean asked = waiter.immediate && kind == Refusal.Kind.BUSY;
        long now = waiter.engine.environment.nanoTime();
        long waited = asked ? 0 : now - waiter.sinceNanos;
        Tenure alone = heldAlone();
        TenureLease heldHere = alone == null ? null : alone.lease;
        Holder heldBy = claim != null ? claim.heldBy : heldHere == null ? null : heldHere.holder();
        String thread = heldHere == null ? null : heldHere.threadText();
        long heldHereUntil = claim == null ? Alarm.NEVER : claim.heldHereUntilNanos();
        long heldHereAgo = heldHereUntil == Alarm.NEVER ? Alarm.NEVER : now - heldHereUntil;
        return new Effect.Refuse(waiter, new Refusal(kind, waiter.key, waited, heldBy, thread, heldHereAgo, cause));
    }
}
