package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Guarantees.Failover;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.Loss;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A server that never saw the lock takes over: what is declared about that holds. */
interface FailoverContract {
    @Test
    default void afterAFailoverThatForgetsTheHolderIsToldTokensGrowAndWaitersComeBack(Bench bench) throws Exception {
        // The lock is stored and not replicated when its server dies. The next server knows neither holder nor waiter.
        Optional<FailoverControl> control = bench.failover();
        boolean declared = bench.guarantees().failover() == Failover.TOLD;
        assertThat(control.isPresent())
                .as("a failover can be played where one is declared, and nowhere else")
                .isEqualTo(declared);
        if (!declared) {
            return;
        }
        String name = bench.name("forgotten");
        try {
            forget(bench, control.get(), name);
        } finally {
            control.get().restore();
        }
    }

    private static void forget(Bench bench, FailoverControl control, String name) throws Exception {
        Holdfast holder = bench.holdfast();
        Holdfast waiting = bench.holdfast();
        Client operator = bench.client();
        // So that the new server knows the counter, as it will have met the name before.
        holder.lock(name).acquire(bench.patience()).close();
        control.holdBackReplication(name);
        Lease lease = holder.lock(name).acquire(bench.patience());
        CompletableFuture<Loss> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        CompletableFuture<Lease> served = waiting.lock(name).acquireAsync(Duration.ofSeconds(100));
        bench.await(
                "the waiter stands in the queue",
                () -> !bench.isFair()
                        || operator.describe(name)
                                .map(state -> !state.waiters().isEmpty())
                                .orElse(false));
        control.failOver(name);
        long tookOver = bench.now();
        assertThat(bench.get("the word that the lock is lost", told)).isNotNull();
        assertThat(Duration.ofNanos(bench.now() - tookOver))
                .as("the time until the holder was told")
                .isLessThan(Bench.LONG.dividedBy(3));
        assertThat(lease.isValid()).isFalse();
        Lease next = bench.get("the lock that was forgotten", served);
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
        lease.close();
    }
}
