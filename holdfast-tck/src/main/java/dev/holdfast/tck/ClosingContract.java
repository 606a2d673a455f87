package dev.holdfast.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastClosedException;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockListener;
import dev.holdfast.spi.Holding;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The end of a client. */
interface ClosingContract {
    @Test
    default void closingWhileWaitingFailsTheWaitersAndLeavesNothingQueued(Bench bench) {
        // Three threads' worth of waiters, then close(). The release that follows leaves the lock free.
        String name = bench.name("closing");
        Client holder = bench.client();
        Holding held = holder.hold(bench.claim(name));
        AtomicInteger told = new AtomicInteger();
        Holdfast holdfast = bench.holdfast(
                builder -> builder.closeGrace(Bench.AS_LONG_AS_IT_TAKES).listener(new LockListener() {
                    @Override
                    public void waiting(LockKey lock) {
                        told.incrementAndGet();
                    }
                }));
        List<CompletableFuture<Lease>> waiting = List.of(
                holdfast.lock(name).acquireAsync(),
                holdfast.lock(name).acquireAsync(Duration.ofMinutes(1)),
                holdfast.lock(name).acquireAsync());
        bench.await("all three know that they wait", () -> told.get() == 3);
        if (bench.isFair()) {
            bench.await(
                    "the waiters are queued",
                    () -> !holder.state(name).waiters().isEmpty());
        }
        holdfast.close();
        for (CompletableFuture<Lease> each : waiting) {
            assertThat(bench.failureOf(each))
                    .isInstanceOf(HoldfastClosedException.class)
                    .hasMessageContaining(name)
                    .hasMessageContaining("nothing is held");
        }
        assertThat(holder.state(name).waiters()).isEmpty();
        assertThat(holder.release(held)).isTrue();
        assertThat(holder.describe(name)).isEmpty();
    }

    @Test
    default void aClosedHoldfastSaysSo(Bench bench) {
        // Closed twice, then used.
        Holdfast holdfast = bench.holdfast();
        holdfast.close();
        assertThatCode(holdfast::close).doesNotThrowAnyException();
        assertThatThrownBy(() -> holdfast.lock("after the end").tryAcquire())
                .isInstanceOf(HoldfastClosedException.class)
                .hasMessageContaining("after the end");
        assertThatThrownBy(() -> holdfast.inspect("after the end")).isInstanceOf(HoldfastClosedException.class);
    }

    @Test
    default void closingABackendTwiceIsHarmlessAndOtherClientsGoOn(Bench bench) {
        // The second client must not notice.
        Client first = bench.client();
        Client second = bench.client();
        first.acquire(bench.claim(bench.name("first")));
        Holding held = second.hold(bench.claim(bench.name("second")));
        first.close();
        assertThatCode(first::close).doesNotThrowAnyException();
        assertThat(second.release(held)).isTrue();
    }
}
