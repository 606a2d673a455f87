package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Renewal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** A semaphore is so many slots, and each of them is held like a lock. */
interface SemaphoreContract {
    @Test
    default void everyPermitIsASlotOfItsOwnAndThereAreNoMore(Bench bench) {
        // Three hold, a fourth finds nothing. One lets go, and exactly its slot can be had again.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        String key = bench.semaphore("slots");
        List<Held> held = takeAll(bench, key, 3);
        Client fourth = bench.client();
        Answer.Busy busy = fourth.busy(bench.claim(key).forAnyOf(3));
        assertThat(busy.queued())
                .as("a claim that did not ask for a place in the queue")
                .isFalse();
        assertThat(busy.retryAfter()).isPositive().isLessThanOrEqualTo(Bench.LONG.plusSeconds(1));
        for (Held each : held) {
            each.requireKept();
            assertThat(each.release()).isTrue();
            assertThat(each.release()).as("released twice").isFalse();
            Held next = fourth.take(bench.claim(key).forAnyOf(3));
            assertThat(next.slot()).as("the only free slot").isEqualTo(each.slot());
            next.requireAbove(each);
            fourth.busy(bench.claim(key).forAnyOf(3));
        }
        assertThat(fourth.holders(key)).hasSize(3);
    }

    @Test
    default void ofManyClaimsAtOnceNoTwoGetOneSlotAndNoSlotIsLost(Bench bench) throws Exception {
        // Six clients ask for three slots at the same moment, many times over.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        List<Client> clients = bench.clients(6);
        for (int round = 0; round < 10; round++) {
            String key = bench.semaphore("race-" + round);
            List<Callable<Answer>> asks = new ArrayList<>();
            for (Client client : clients) {
                Claim claim = bench.claim(key).forAnyOf(3);
                asks.add(() -> client.ask(claim));
            }
            List<Integer> slots = new ArrayList<>(bench.together(asks).stream()
                    .filter(Answer.Granted.class::isInstance)
                    .map(answer -> ((Answer.Granted) answer).grant().slot())
                    .toList());
            if (!bench.isFair()) {
                // Where several nodes decide, rivals may keep a slot from each other. Asked again, it is there.
                while (slots.size() < 3) {
                    slots.add(clients.get(0)
                            .takeSoon(bench.claim(key).forAnyOf(3))
                            .slot());
                }
            }
            assertThat(slots).as("slots that were granted in round %d", round).containsExactlyInAnyOrder(0, 1, 2);
        }
    }

    @Test
    default void theTokensOfASlotGrowAcrossReleaseExpiryAndBreak(Bench bench) {
        // Slot 1 goes from hand to hand while somebody else keeps slot 0.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        String key = bench.semaphore("tokens");
        Held beside = bench.client().take(bench.claim(key).forAnyOf(1));
        Client client = bench.client();
        Held released = client.take(bench.claim(key).forAnyOf(2));
        assertThat(released.release()).isTrue();
        Held expired = client.take(bench.brief(key).forAnyOf(2));
        expired.requireAbove(released);
        Held broken = bench.client().takeSoon(bench.claim(key).forAnyOf(2));
        broken.requireAbove(expired);
        assertThat(bench.now() - expired.grant().validUntilNanos())
                .as("nanoseconds after the end of the lease")
                .isNotNegative();
        expired.requireGone();
        assertThat(expired.release()).isFalse();
        client.withdraw(expired.claim());
        assertThat(broken.breakBy(client)).isPresent();
        broken.requireGone();
        Held last = bench.client().take(bench.claim(key, Bench.LONG, 16, false).forAnyOf(2));
        last.requireAbove(broken);
        assertThat(List.of(released.slot(), expired.slot(), broken.slot(), last.slot()))
                .containsOnly(1);
        beside.requireKept();
    }

    @Test
    default void aResentClaimKeepsItsOneSlot(Bench bench) throws Exception {
        // A lower slot becomes free; the claim is sent again, and several times at once.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        String key = bench.semaphore("resent");
        Client client = bench.client();
        List<Held> held = takeAll(bench, key, 2);
        Claim claim = bench.queueing(key).forAnyOf(4);
        Held third = client.take(claim);
        assertThat(held.get(0).release()).isTrue();
        third.requireSame(client.acquire(claim));
        Callable<Grant> ask = () -> client.acquire(claim);
        bench.together(Collections.nCopies(4, ask)).forEach(third::requireSame);
        assertThat(client.holders(key)).hasSize(2).filteredOn(third::isShownBy).hasSize(1);
        assertThat(third.release()).isTrue();
        assertThat(client.holders(key)).hasSize(1);
    }

    @Test
    default void anOwnerNeverHasTwoSlotsThoughItAsksWhileItIsServed(Bench bench) throws Exception {
        // Both slots become free while the one who waits for any of them asks again.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        Client waiter = bench.client();
        List<Client> holders = bench.clients(2);
        for (int round = 0; round < 12; round++) {
            String key = bench.semaphore("served-" + round);
            Held first = holders.get(0).take(bench.claim(key).forAnyOf(2));
            Held second = holders.get(1).take(bench.claim(key).forAnyOf(2));
            Claim claim = bench.queueing(key).forAnyOf(2);
            waiter.busy(claim);
            List<Callable<Boolean>> steps = new ArrayList<>(List.of(
                    first::release, second::release, () -> waiter.ask(claim) != null, () -> waiter.ask(claim) != null));
            Collections.rotate(steps, round);
            assertThat(bench.together(steps)).containsOnly(true);
            Held served = waiter.takeSoon(claim);
            List<LockState> states = waiter.holders(key);
            assertThat(states).as("holders after round %d", round).hasSize(1);
            served.requireShownBy(states.get(0));
            Claim rest = bench.claim(key).forAnyOf(2);
            // Where several nodes decide, what came too late may have to be undone first.
            Held other =
                    bench.isFair() ? holders.get(0).take(rest) : holders.get(0).takeSoon(rest);
            assertThat(other.slot()).isEqualTo(1 - served.slot());
        }
    }

    @Test
    default void slotsAreRenewedEachByItselfAndInTheOrderOfTheBatch(Bench bench) {
        // Held, released, a lock, held. The right owner with the token of another grant is another grant.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        String key = bench.semaphore("batch");
        Client client = bench.client();
        List<Held> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(client.take(bench.claim(key).forAnyOf(3)));
        }
        Holding lock = client.hold(bench.claim(bench.name("lock in the batch")));
        Holding right = held.get(1).holding();
        Holding mistaken = new Holding(
                right.key(), right.owner(), right.lastToken() + 1, right.lease(), right.slot(), right.shared());
        assertThat(held.get(0).release()).isTrue();
        List<Renewal> answers =
                client.renew(List.of(held.get(2).holding(), held.get(0).holding(), lock, right));
        assertThat(answers.stream().<Class<?>>map(Object::getClass).toList())
                .containsExactly(
                        Renewal.Renewed.class, Renewal.Gone.class, Renewal.Renewed.class, Renewal.Renewed.class);
        assertThat(client.renew(mistaken)).isInstanceOf(Renewal.Gone.class);
        held.get(1).requireKept();
    }

    @Test
    default void everySlotIsShownWithItsHolder(Bench bench) {
        // By slot, whatever the order in which they were taken; by name prefix; and up to a limit.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        String key = bench.semaphore("shown");
        Client client = bench.client();
        List<Held> held = takeAll(bench, key, 3);
        assertThat(held.get(0).release()).isTrue();
        Held again = client.take(bench.describedAs(bench.claim(key).forAnyOf(3), "the third export"));
        List<Held> expected = List.of(again, held.get(1), held.get(2));
        Client other = bench.client();
        requireShown(expected, other.holders(key));
        requireShown(expected, other.answerOf(other.backend.list(key, 10)));
        requireShown(expected.subList(0, 2), other.answerOf(other.backend.list(key, 2)));
        assertThat(again.release()).isTrue();
        requireShown(expected.subList(1, 3), other.holders(key));
    }

    private static void requireShown(List<Held> expected, List<LockState> states) {
        assertThat(states).hasSameSizeAs(expected);
        for (int i = 0; i < expected.size(); i++) {
            expected.get(i).requireShownBy(states.get(i));
        }
    }

    @Test
    default void breakingASlotEndsOnlyTheOwnerThatWasSeen(Bench bench) {
        // The operator saw somebody who is no longer there; then somebody who is.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        String key = bench.semaphore("break");
        List<Held> held = takeAll(bench, key, 3);
        Client operator = bench.client();
        assertThat(operator.answerOf(operator.backend.breakLock(key, bench.owner(), 1)))
                .isEmpty();
        held.forEach(Held::requireKept);
        assertThat(held.get(1).breakBy(operator))
                .hasValueSatisfying(broken -> held.get(1).requireShownBy(broken));
        assertThat(held.get(1).breakBy(operator)).isEmpty();
        held.get(1).requireGone();
        assertThat(held.get(1).release()).isFalse();
        held.get(0).requireKept();
        held.get(2).requireKept();
        assertThat(operator.take(bench.claim(key).forAnyOf(3)).slot()).isEqualTo(1);
    }

    /** One client for each slot; the slots are taken in their order, or whatever order the store has. */
    static List<Held> takeAll(Bench bench, String key, int slots) {
        List<Held> held = new ArrayList<>();
        for (int i = 0; i < slots; i++) {
            held.add(bench.client().take(bench.claim(key).forAnyOf(slots)));
        }
        held.sort((one, other) -> Integer.compare(one.slot(), other.slot()));
        assertThat(held).extracting(Held::slot).doesNotHaveDuplicates().allMatch(slot -> slot >= 0 && slot < slots);
        return held;
    }
}
