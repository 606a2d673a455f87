package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What answers that come late do to a lock that was closed before its minimum was over. */
class KeptLockTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration MINIMUM = Duration.ofMinutes(5);

    private final ManualTime time = new ManualTime();
    private final ScriptedBackend backend = new ScriptedBackend();
    private final Holdfast holdfast =
            Holdfast.builder(backend).environment(time).build();
    private ScriptedBackend.Asked late;
    private Owner owner;

    /** A waiter asks again, is given the lock by a push meanwhile, and closes it at once. Its question is still open. */
    @BeforeEach
    void closeEarly() {
        CompletableFuture<Lease> waiting =
                holdfast.lock("job").heldAtLeast(MINIMUM).acquireAsync();
        backend.asked.remove().busy(SECOND, true);
        time.advance(SECOND);
        late = backend.asked.remove();
        owner = late.claim().owner();
        backend.events.granted("job", owner, Grant.full(16, 16, backend.full(LEASE)));
        waiting.join().releaseAsync();
        assertThat(backend.releasesLater.element().holding().owner()).isEqualTo(owner);
    }

    private void keepsAllThatIsAsked() {
        while (!backend.releasesLater.isEmpty()) {
            backend.releasesLater.remove().answer().complete(true);
        }
    }

    @Test
    void aQuestionThatFailsLateDoesNotFreeIt() {
        // Its owner counted as unused and was withdrawn: the lock was free before its minimum.
        keepsAllThatIsAsked();
        late.answer().completeExceptionally(new IOException("connection reset"));
        for (int i = 0; i < 10; i++) {
            time.advance(SECOND);
            keepsAllThatIsAsked();
        }
        assertThat(backend.withdrawals).isEmpty();
    }

    @Test
    void aQuestionThatIsAnsweredLateDoesNotFreeIt() {
        keepsAllThatIsAsked();
        late.grant(16, backend.full(LEASE));
        for (int i = 0; i < 10; i++) {
            time.advance(SECOND);
            keepsAllThatIsAsked();
        }
        assertThat(backend.withdrawals).isEmpty();
    }

    @Test
    void afterTheMinimumItIsTakenBackLikeAnyOther() {
        keepsAllThatIsAsked();
        time.advance(MINIMUM);
        keepsAllThatIsAsked();
        late.grant(16, backend.full(LEASE));
        assertThat(backend.withdrawals)
                .extracting(ScriptedBackend.Withdrawing::owner)
                .contains(owner);
    }
}
