package dev.holdfast.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.support.LockException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HoldfastLockProviderTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holdfast = Holdfast.builder(backend)
            .closeGrace(Duration.ZERO)
            .unavailableAfter(Duration.ofMillis(100))
            .build();
    private final HoldfastLockProvider provider = new HoldfastLockProvider(holdfast);

    @AfterEach
    void close() {
        holdfast.close();
    }

    private static LockConfiguration job(String name) {
        return new LockConfiguration(ClockProvider.now(), name, MINUTE, Duration.ZERO);
    }

    @Test
    void aStoreThatDoesNotAnswerIsAnErrorAndNotSomebodyElse() {
        backend.controls().disconnect();
        assertThatThrownBy(() -> provider.lock(job("report")))
                .isInstanceOf(LockException.class)
                .hasMessageContaining("No answer about the lock of job 'report'")
                .hasMessageContaining("disconnected");
    }

    @Test
    void aNameThatCannotBeALockIsRefusedWithTheReason() {
        assertThatThrownBy(() -> provider.lock(job("two\nlines")))
                .isInstanceOf(LockException.class)
                .hasMessageContaining("cannot be locked: The lock name has a control character");
    }

    @Test
    void aPrefixKeepsJobsApartFromOtherLocks() throws Exception {
        try (var held = holdfast.lock("report").acquire()) {
            assertThat(held.isValid()).isTrue();
            assertThat(provider.lock(job("report"))).isEmpty();
            assertThat(provider.withPrefix("jobs:").lock(job("report"))).isPresent();
            assertThat(holdfast.inspect("jobs:report")).isPresent();
        }
    }

    @Test
    void anInterruptIsKept() {
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> provider.lock(job("report"))).isInstanceOf(LockException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
