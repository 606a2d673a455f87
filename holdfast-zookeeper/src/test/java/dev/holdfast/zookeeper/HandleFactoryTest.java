package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HandleFactoryTest {
    @Test
    void theFirstAttemptAfterAConnectionDoesNotPause() throws Exception {
        // With one server the library used to pause for a second before it turned to it again, and a holder whose
        // session had been killed went on for that second.
        long pause = Duration.ofMinutes(10).toMillis();
        HandleFactory.Servers hosts = new HandleFactory.Servers("localhost:1", System::nanoTime, () -> false);
        assertThat(hosts.next(0).getPort()).isEqualTo(1);
        hosts.onConnected();
        CompletableFuture<Integer> again =
                CompletableFuture.supplyAsync(() -> hosts.next(pause).getPort());
        assertThat(again.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void whoHoldsALockDoesNotLetTheLibrarySleepBeforeItConnectsAgain() {
        // The library sleeps for up to a second before it connects, and a holder whose session had been killed went on
        // for that second. An interrupt ends the sleep; if there was none, the interrupt is taken back.
        HandleFactory.Servers hosts = new HandleFactory.Servers("localhost:1", System::nanoTime, () -> true);
        hosts.next(0);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        hosts.onConnected();
        hosts.next(0);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
        hosts.next(0);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }
}
