package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who waits for a slot stands in one line for all of them. */
interface SemaphoreQueueContract {
    @Test
    default void aFreedSlotGoesToTheHeadOfTheLine(Bench bench) throws Exception {
        // Two slots, two waiters. The slot that was released goes to the first of them, the other one to the second.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.semaphore(label + "line");
            List<Held> held = SemaphoreContract.takeAll(bench, key, 2);
            Client first = bench.client();
            Claim early = bench.queueing(key).forAnyOf(2);
            Client second = bench.client();
            Claim late = bench.queueing(key).forAnyOf(2);
            first.busy(early);
            second.busy(late);
            // Resent, it stays the first.
            first.busy(early);
            assertThat(first.state(key).waiters()).hasSize(bench.isFair() ? 2 : 0);
            assertThat(held.get(1).release()).isTrue();
            Held next = first.takeTurn(early);
            assertThat(next.slot()).isEqualTo(1);
            next.requireAbove(held.get(1));
            second.busy(late);
            assertThat(held.get(0).release()).isTrue();
            Held last = second.takeTurn(late);
            assertThat(last.slot()).isEqualTo(0);
            last.requireAbove(held.get(0));
            next.requireKept();
            next.requireSame(first.acquire(early));
            assertThat(first.holders(key)).allMatch(state -> state.waiters().isEmpty());
        });
    }

    @Test
    default void whoWaitsForASlotIsNotOvertaken(Bench bench) throws Exception {
        // A slot's lease ends while somebody waits. A newcomer asks first; where the store is fair it has to stand
        // back.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        Client holder = bench.client();
        Client waiter = bench.client();
        Client newcomer = bench.client();
        bench.inTime(bench.lease(), lease -> {
            String key = bench.semaphore("newcomer after " + lease);
            Held kept = bench.client().take(bench.claim(key).forAnyOf(1));
            Grant ending = holder.acquire(bench.claim(key, lease, 1, false).forAnyOf(2));
            Claim claim = bench.queueing(key).forAnyOf(2);
            Answer early = waiter.ask(claim);
            if (early instanceof Answer.Granted && bench.now() - ending.validUntilNanos() >= 0) {
                return false;
            }
            assertThat(early).isInstanceOf(Answer.Busy.class);
            assertThat(((Answer.Busy) early).retryAfter())
                    .as("when to look again: at the end of the lease that ends first")
                    .isLessThanOrEqualTo(lease.plusSeconds(1));
            bench.await(
                    "the slot expires",
                    () -> newcomer.holders(key).stream()
                            .allMatch(state ->
                                    kept.isShownBy(state) || state.tenure().isOf(claim.owner())));
            Answer answer = newcomer.ask(bench.claim(key).forAnyOf(2));
            if (bench.isFair()) {
                assertThat(answer).isInstanceOf(Answer.Busy.class);
                assertThat(waiter.takeSoon(claim).slot()).isEqualTo(1);
            } else if (answer instanceof Answer.Granted) {
                waiter.busy(claim);
            }
            kept.requireKept();
            return true;
        });
    }

    @Test
    default void aSlotOnlyGoesToAClaimWhoseNumberIsAboveIt(Bench bench) throws Exception {
        // Somebody still has three slots configured, somebody only one. Nobody's permit is taken away.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.semaphore(label + "numbers");
            List<Held> held = SemaphoreContract.takeAll(bench, key, 3);
            Client small = bench.client();
            Claim wantsTheFirst = bench.queueing(key).forAnyOf(1);
            small.busy(wantsTheFirst);
            held.forEach(Held::requireKept);
            assertThat(held.get(2).release()).isTrue();
            small.busy(wantsTheFirst);
            assertThat(small.wasPushed(wantsTheFirst))
                    .as("a slot that it does not know")
                    .isFalse();
            // Somebody who knows more slots takes what the head of the line cannot.
            Held passing = bench.client().takeSoon(bench.claim(key).forAnyOf(3));
            assertThat(passing.slot()).isEqualTo(2);
            Client large = bench.client();
            Claim wantsAny = bench.queueing(key).forAnyOf(3);
            large.busy(wantsAny);
            assertThat(held.get(1).release()).isTrue();
            Held served = large.takeTurn(wantsAny);
            assertThat(served.slot()).isEqualTo(1);
            small.busy(wantsTheFirst);
            assertThat(held.get(0).release()).isTrue();
            assertThat(small.takeTurn(wantsTheFirst).slot()).isEqualTo(0);
            passing.requireKept();
            served.requireKept();
        });
    }

    @Test
    default void aWithdrawnClaimHasNeitherAPlaceNorASlot(Bench bench) throws Exception {
        // One gives up while it waits, one after it was granted a slot, one before it was ever seen.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.semaphore(label + "withdrawn");
            List<Held> held = SemaphoreContract.takeAll(bench, key, 2);
            Client unwilling = bench.client();
            Claim unwanted = bench.queueing(key).forAnyOf(2);
            unwilling.withdraw(unwanted);
            unwilling.busy(unwanted);
            Client next = bench.client();
            Claim wanted = bench.queueing(key).forAnyOf(2);
            next.busy(wanted);
            unwilling.withdraw(unwanted);
            assertThat(next.state(key).waiters()).hasSize(bench.isFair() ? 1 : 0);
            held.get(1).client().withdraw(held.get(1).claim());
            Held served = next.takeTurn(wanted);
            assertThat(served.slot()).isEqualTo(1);
            held.get(1).requireGone();
            assertThat(unwilling.wasPushed(unwanted)).isFalse();
            next.withdraw(wanted);
            assertThat(next.holders(key)).hasSize(1);
            assertThat(bench.client().take(bench.claim(key).forAnyOf(2)).slot()).isEqualTo(1);
            held.get(0).requireKept();
        });
    }

    @Test
    default void breakingASlotServesTheNext(Bench bench) throws Exception {
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.semaphore(label + "broken");
            List<Held> held = SemaphoreContract.takeAll(bench, key, 2);
            Client waiter = bench.client();
            Claim claim = bench.queueing(key).forAnyOf(2);
            waiter.busy(claim);
            assertThat(held.get(0).breakBy(bench.client())).isPresent();
            Held served = waiter.takeTurn(claim);
            assertThat(served.slot()).isEqualTo(0);
            served.requireAbove(held.get(0));
            held.get(0).requireGone();
            held.get(1).requireKept();
        });
    }

    @Test
    default void aSlotCanBeReleasedAndClaimedAnewInOneStep(Bench bench) throws Exception {
        // Whoever waits goes first, where the store is fair. Alone, it is a new tenure.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        bench.handingOver(label -> {
            String key = bench.semaphore(label + "again");
            List<Held> held = SemaphoreContract.takeAll(bench, key, 2);
            Client holder = held.get(0).client();
            Claim alone = bench.queueing(key).forAnyOf(2);
            Answer answer = holder.releaseAndClaim(held.get(0).holding(), alone);
            if (bench.isFair()) {
                assertThat(answer).isInstanceOf(Answer.Granted.class);
            }
            // Without a line that decides, what somebody asked for before may be in the way for a moment.
            Held again = answer instanceof Answer.Granted granted
                    ? new Held(holder, alone, granted.grant())
                    : holder.takeSoon(alone);
            assertThat(again.slot()).isEqualTo(0);
            again.requireAbove(held.get(0));
            held.get(0).requireGone();
            if (bench.isFair()) {
                Client waiter = bench.client();
                Claim waiting = bench.queueing(key).forAnyOf(2);
                waiter.busy(waiting);
                Claim behind = bench.queueing(key).forAnyOf(2);
                assertThat(holder.releaseAndClaim(again.holding(), behind)).isInstanceOf(Answer.Busy.class);
                Held served = waiter.takeTurn(waiting);
                assertThat(served.slot()).isEqualTo(0);
                assertThat(served.release()).isTrue();
                holder.takeTurn(behind).requireAbove(served);
            }
            held.get(1).requireKept();
        });
    }

    @Test
    default void aDeadWaiterKeepsASlotFromNobodyForLong(Bench bench) throws Exception {
        // The head of the line is gone without a word. The slot goes to whoever stands behind it, soon enough.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        String key = bench.semaphore("dead waiter");
        List<Held> held = SemaphoreContract.takeAll(bench, key, 2);
        Client dead = bench.client();
        dead.busy(bench.claim(key, bench.lease(), 1, true).forAnyOf(2));
        dead.close();
        Client next = bench.client();
        Claim claim = bench.queueing(key).forAnyOf(2);
        next.busy(claim);
        assertThat(held.get(0).release()).isTrue();
        assertThat(next.takeSoon(claim).slot()).isEqualTo(0);
        held.get(1).requireKept();
    }

    @Test
    default void aSlotThatIsReleasedLaterStaysTakenUntilThenAndNoLonger(Bench bench) {
        // Where the store declares that it can keep them: see MinimumHoldContract.
        if (Kinds.refused(LockKind.SEMAPHORE, bench) || !bench.guarantees().heldAtLeast()) {
            return;
        }
        String key = bench.semaphore("later");
        List<Held> held = SemaphoreContract.takeAll(bench, key, 2);
        Client waiter = bench.client();
        Claim claim = bench.queueing(key).forAnyOf(2);
        waiter.busy(claim);
        Duration keep = bench.lease();
        long sent = bench.now();
        Client client = held.get(1).client();
        assertThat(client.answerOf(client.backend.releaseLater(held.get(1).holding(), keep)))
                .isTrue();
        Held next = waiter.takeSoon(claim);
        assertThat(bench.now() - sent)
                .as("nanoseconds for which it was kept")
                .isGreaterThanOrEqualTo(keep.toNanos() - Validity.driftNanos(keep));
        assertThat(next.slot()).isEqualTo(1);
        next.requireAbove(held.get(1));
        held.get(1).requireGone();
        held.get(0).requireKept();
    }
}
