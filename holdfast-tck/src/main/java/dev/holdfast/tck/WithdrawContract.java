package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.TenureHandle;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** A claim that was taken back holds nothing and waits for nothing, whoever was faster. */
interface WithdrawContract {
    @Test
    default void aWithdrawnClaimIsNotServed(Bench bench) {
        // It withdraws while it waits. The release that follows leaves the lock free.
        String name = bench.name("waiting");
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        Client waiter = bench.client();
        Claim claim = bench.queueing(name);
        waiter.busy(claim);
        waiter.withdraw(claim);
        assertThat(holder.state(name).waiters()).isEmpty();
        assertThat(holder.release(held)).isTrue();
        requireFree(name, bench);
        assertThat(waiter.wasPushed(claim)).isFalse();
    }

    @Test
    default void withdrawingReleasesAGrantThatWasFaster(Bench bench) {
        // The claim was granted before its withdrawal arrived.
        String name = bench.name("granted");
        Client client = bench.client();
        Claim claim = bench.claim(name);
        client.acquire(claim);
        client.withdraw(claim);
        requireFree(name, bench);
    }

    @Test
    default void withdrawingReleasesAGrantThatWasHandedOver(Bench bench) {
        // The lock was handed to a waiter that no longer wants it. It goes on to the next.
        String name = bench.name("handed");
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        Client unwilling = bench.client();
        Claim unwanted = bench.queueing(name);
        unwilling.busy(unwanted);
        Client next = bench.client();
        Claim wanted = bench.queueing(name);
        next.busy(wanted);
        assertThat(holder.release(held)).isTrue();
        if (bench.isFair()) {
            unwilling.awaitTurn(unwanted);
        }
        unwilling.withdraw(unwanted);
        next.awaitTurn(wanted);
        assertThat(next.state(name).tenure()).isEqualTo(TenureHandle.of(wanted.owner()));
    }

    @Test
    default void aWithdrawalAndAGrantThatRaceLeaveNothingBehind(Bench bench) throws Exception {
        // The holder releases at the moment in which the waiter withdraws, many times over.
        Client holder = bench.client();
        Client waiter = bench.client();
        for (int round = 0; round < 40; round++) {
            String name = bench.name("race-" + round);
            Holding held = holder.hold(bench.claim(name));
            Claim claim = bench.queueing(name);
            waiter.busy(claim);
            Callable<Boolean> release = () -> holder.release(held);
            Callable<Boolean> withdraw = () -> {
                waiter.withdraw(claim);
                return true;
            };
            assertThat(bench.together(round % 2 == 0 ? List.of(release, withdraw) : List.of(withdraw, release)))
                    .containsOnly(true);
            assertThat(holder.describe(name))
                    .as("after both, in round %d", round)
                    .isEmpty();
        }
    }

    @Test
    default void withdrawingWhatIsNotThereTouchesNothing(Bench bench) {
        // Withdrawn twice, and before the claim was ever seen; somebody else holds the lock.
        String name = bench.name("absent");
        Client holder = bench.client();
        Claim held = bench.claim(name);
        holder.acquire(held);
        Client other = bench.client();
        Claim claim = bench.queueing(name);
        other.withdraw(claim);
        other.busy(claim);
        other.withdraw(claim);
        other.withdraw(claim);
        assertThat(holder.state(name).tenure()).isEqualTo(TenureHandle.of(held.owner()));
        assertThat(holder.state(name).waiters()).isEmpty();
        other.withdraw(bench.claim(bench.name("never seen")));
    }

    private static void requireFree(String name, Bench bench) {
        Client client = bench.client();
        assertThat(client.describe(name)).isEmpty();
        client.acquire(bench.claim(name));
    }
}
