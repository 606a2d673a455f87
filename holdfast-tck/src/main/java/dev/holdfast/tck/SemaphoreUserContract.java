package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DistributedSemaphore;
import dev.holdfast.Guarantees;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.Loss;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Semaphores as users meet them, through {@link Holdfast}. */
interface SemaphoreUserContract {
    int SLOTS = 3;

    @Test
    default void closingOneOfSeveralPermitsServesWhoeverWaitsElsewhere(Bench bench) throws Exception {
        // One client has all permits. Two others wait; one of them gives up.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        Holdfast holder = bench.holdfast();
        Holdfast other = bench.holdfast();
        Holdfast impatient = bench.holdfast();
        Client observer = bench.client();
        bench.handingOver(label -> {
            String name = bench.name(label + "permits");
            String key = LockKey.semaphore(name).encoded();
            List<Lease> held = new ArrayList<>();
            for (int i = 0; i < SLOTS; i++) {
                held.add(holder.semaphore(name, SLOTS).tryAcquire().orElseThrow());
            }
            assertThat(held).extracting(Lease::slot).containsExactlyInAnyOrder(0, 1, 2);
            assertThat(holder.semaphore(name, SLOTS).tryAcquire()).isEmpty();
            assertThat(other.semaphore(name, SLOTS).tryAcquire()).isEmpty();
            CompletableFuture<Lease> cancelled =
                    impatient.semaphore(name, SLOTS).acquireAsync();
            awaitWaiters(bench, observer, key, 1);
            CompletableFuture<Lease> waiting = other.semaphore(name, SLOTS).acquireAsync();
            awaitWaiters(bench, observer, key, 2);
            cancelled.cancel(false);
            awaitWaiters(bench, observer, key, 1);
            Lease closed = held.remove(1);
            closed.close();
            Lease next = bench.get("the permit", waiting);
            assertThat(next.slot()).isEqualTo(closed.slot());
            assertThat(next.token()).isGreaterThan(closed.token());
            assertThat(next.isValid()).isTrue();
            assertThat(held).allMatch(Lease::isValid);
            next.close();
            held.forEach(Lease::close);
            bench.await("all slots are free", () -> observer.holders(key).isEmpty());
        });
    }

    private static void awaitWaiters(Bench bench, Client observer, String key, int count) {
        bench.await(
                count + " wait",
                () -> !bench.isFair() || observer.state(key).waiters().size() == count);
    }

    @Test
    default void aWaiterIsServedWhenTheHolderOfASlotExpires(Bench bench) throws Exception {
        // Nobody says that the slot is free: the waiter's own timer has to find out. The other slot is held for long.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        String name = bench.name("silent");
        String key = LockKey.semaphore(name).encoded();
        Held kept = bench.client().take(bench.claim(key).forAnyOf(1));
        Held silent = bench.client().take(bench.brief(key).forAnyOf(2));
        try (Lease lease =
                bench.get("the permit", bench.holdfast().semaphore(name, 2).acquireAsync())) {
            assertThat(bench.now() - silent.grant().validUntilNanos()).isNotNegative();
            assertThat(lease.slot()).isEqualTo(silent.slot());
            assertThat(lease.token().value()).isGreaterThan(silent.lastToken());
        }
        kept.requireKept();
    }

    @Test
    default void aBrokenPermitIsLostAndTheOthersAreNot(Bench bench) throws Exception {
        // An operator inspects the semaphore and breaks one slot of it.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        Holdfast holder = bench.holdfast();
        Holdfast operator = bench.holdfast();
        bench.inTime(bench.lease().multipliedBy(3), duration -> {
            String name = bench.name("broken after " + duration);
            DistributedSemaphore semaphore = holder.semaphore(name, 2).withLease(duration);
            Lease first = semaphore.acquire(bench.patience());
            Lease second = semaphore.acquire(bench.patience());
            CompletableFuture<Loss> told = new CompletableFuture<>();
            second.onLost(told::complete);
            List<LockState> seen = operator.inspect(LockKey.semaphore(name)).stream()
                    .filter(state -> state.slot() == second.slot())
                    .toList();
            boolean broken = !seen.isEmpty() && operator.breakLock(seen.get(0)).isPresent();
            Loss loss = bench.get("word of the loss", told);
            boolean valid = first.isValid();
            first.close();
            second.close();
            // Not renewed in time, so nobody had to break it.
            if (!broken && loss.heldFor().compareTo(duration.dividedBy(2)) > 0) {
                return false;
            }
            assertThat(broken).isTrue();
            assertThat(loss.kind()).isEqualTo(Loss.Kind.LOST);
            // Or its renewals came too late; then it is kept with a longer lease, unless breaking one breaks them all.
            return valid;
        });
    }

    @Test
    default void aPermitThatIsClosedEarlyStaysTakenForItsMinimum(Bench bench) throws Exception {
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        String name = bench.name("minimum");
        Duration minimum = bench.lease();
        DistributedSemaphore semaphore = bench.holdfast().semaphore(name, 1);
        if (!bench.guarantees().heldAtLeast()) {
            assertThatThrownBy(() -> {
                        var unused = semaphore.heldAtLeast(minimum);
                    })
                    .isInstanceOf(UnsupportedOperationException.class);
            return;
        }
        long before = bench.now();
        Lease lease = semaphore.heldAtLeast(minimum).acquire(bench.patience());
        CompletableFuture<Lease> waiting = bench.holdfast().semaphore(name, 1).acquireAsync();
        lease.close();
        assertThat(lease.isValid()).isFalse();
        Lease next = bench.get("the permit after its minimum", waiting);
        assertThat(bench.now() - before).isGreaterThanOrEqualTo(minimum.toNanos() - Validity.driftNanos(minimum));
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
    }

    @Test
    default void manyThreadsOfSeveralClientsNeverShareASlotAndItsTokensGrow(Bench bench) throws Exception {
        // Three clients with four threads each and different cohorts; one of them knows of two slots only.
        if (Kinds.refused(LockKind.SEMAPHORE, bench)) {
            return;
        }
        bench.untilShown(label -> takePermits(bench, bench.name(label + "storm")));
    }

    /** Returns false if somebody stood still inside for longer than its lease: then another one is right to be there, too. */
    private static boolean takePermits(Bench bench, String name) throws Exception {
        boolean woken = bench.guarantees().waking() != Guarantees.Waking.POLL;
        Duration maxWait = woken ? bench.patience() : Duration.ofSeconds(90);
        SlotRecord slots = new SlotRecord(SLOTS);
        AtomicBoolean overslept = new AtomicBoolean();
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (int client = 0; client < 3; client++) {
            int permits = client == 0 ? SLOTS - 1 : SLOTS;
            int cohort = 1 + 7 * client;
            Holdfast holdfast = bench.holdfast(builder -> builder.cohort(cohort));
            for (int thread = 0; thread < 4; thread++) {
                tasks.add(() -> {
                    boolean right = true;
                    for (int round = 0; round < 12; round++) {
                        try (Lease lease = holdfast.semaphore(name, permits).acquire(maxWait)) {
                            right &= slots.enter(lease) && lease.slot() < permits;
                            Bench.pause();
                            slots.leave(lease);
                            if (!lease.isValid()) {
                                overslept.set(true);
                            }
                        }
                    }
                    return right;
                });
            }
        }
        List<Boolean> right = bench.together(tasks);
        if (overslept.get()) {
            return false;
        }
        assertThat(right)
                .as("was alone on its slot, with a token above the slot's last one")
                .containsOnly(true);
        Client observer = bench.client();
        bench.await(
                "no slot is lost",
                () -> observer.holders(LockKey.semaphore(name).encoded()).isEmpty());
        return true;
    }
}
