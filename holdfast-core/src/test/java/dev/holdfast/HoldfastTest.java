package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HoldfastTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holdfast = Holdfast.over(backend);
    private final Holdfast rival = Holdfast.over(backend.another());

    @AfterEach
    void close() {
        rival.close();
        holdfast.close();
    }

    @Test
    void aHeldLockIsBusyForOthersAndFreeAfterClose() throws Exception {
        try (Lease lease = holdfast.lock("invoice-42").acquire(LONG)) {
            assertThat(lease.isValid()).isTrue();
            assertThat(rival.lock("invoice-42").tryAcquire()).isEmpty();
            assertThatThrownBy(() -> rival.lock("invoice-42").acquire(Duration.ofMillis(30)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("invoice-42")
                    .hasMessageContaining(
                            "held by process " + ProcessHandle.current().pid());
        }
        Optional<Lease> next = rival.lock("invoice-42").tryAcquire();
        assertThat(next).isPresent();
        next.get().close();
    }

    @Test
    void aWaiterInThisProcessIsServedWithoutTheBackendAndWithANewerToken() throws Exception {
        Lease first = holdfast.lock("a").acquire(LONG);
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync(LONG);
        assertThat(second).isNotDone();
        first.close();
        Lease lease = second.get(20, TimeUnit.SECONDS);
        assertThat(lease.token().value()).isEqualTo(first.token().value() + 1);
        assertThat(first.isValid()).isFalse();
        lease.close();
    }

    @Test
    void aWaiterInAnotherProcessIsServedOnRelease() throws Exception {
        Lease first = holdfast.lock("a").acquire(LONG);
        CompletableFuture<Lease> second = rival.lock("a").acquireAsync(LONG);
        first.close();
        Lease lease = second.get(20, TimeUnit.SECONDS);
        assertThat(lease.token()).isGreaterThan(first.token());
        lease.close();
    }
}
