package dev.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class WithdrawalTest {
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final ManualTime time = new ManualTime();
    private final List<CompletableFuture<Void>> sent = new ArrayList<>();
    private final List<Duration> failures = new ArrayList<>();
    private int ended;

    private final Withdrawal.Attempts<Void> attempts = new Withdrawal.Attempts<>() {
        @Override
        public CompletionStage<Void> attempt() {
            CompletableFuture<Void> answer = new CompletableFuture<>();
            sent.add(answer);
            return answer;
        }

        @Override
        public void schedule(long delayNanos, Runnable next) {
            time.schedule(delayNanos, next);
        }

        @Override
        public boolean isConfirmedBy(Throwable failure) {
            return failure instanceof NotSentException;
        }

        @Override
        public void failed(Throwable failure, Duration left) {
            failures.add(left);
        }

        @Override
        public void ended() {
            ended++;
        }
    };

    @Test
    void endsWithTheFirstConfirmationIfNothingIsUnderWay() {
        start(Duration.ZERO);
        sent.get(0).complete(null);
        time.advance(LEASE.multipliedBy(2));
        assertThat(sent).hasSize(1);
        assertThat(ended).isEqualTo(1);
    }

    @Test
    void asksAgainOnceALateRequestCanNoLongerArrive() {
        start(Duration.ofSeconds(3));
        sent.get(0).complete(null);
        time.advance(Duration.ofMillis(2_999));
        assertThat(sent).hasSize(1);
        time.advance(Duration.ofMillis(1));
        assertThat(sent).hasSize(2);
        sent.get(1).completeExceptionally(new NotSentException("it has nothing of ours", null));
        assertThat(ended).isEqualTo(1);
        assertThat(failures).isEmpty();
    }

    @Test
    void repeatsAFailedAttemptUntilTheLeaseHasEndedByItself() {
        start(Duration.ZERO);
        for (int i = 0; ended == 0; i++) {
            assertThat(sent).hasSize(i + 1);
            sent.get(i).completeExceptionally(new IllegalStateException("down"));
            time.advance(Duration.ofSeconds(3));
        }
        assertThat(time.nanoTime()).isGreaterThanOrEqualTo(LEASE.toNanos());
        assertThat(failures.get(0)).isEqualTo(LEASE);
        assertThat(failures.get(failures.size() - 1)).isZero();
        assertThat(sent).hasSizeBetween(10, 30);
    }

    @Test
    void aStoreThatIsBackIsAskedAtOnceAndOnlyOnce() {
        Withdrawal<Void> withdrawal = start(Duration.ZERO);
        withdrawal.retryNow();
        assertThat(sent).as("while an attempt is under way").hasSize(1);
        sent.get(0).completeExceptionally(new IllegalStateException("down"));
        withdrawal.retryNow();
        withdrawal.retryNow();
        assertThat(sent).hasSize(2);
        sent.get(1).complete(null);
        time.advance(LEASE);
        assertThat(sent).as("the timer was overtaken").hasSize(2);
        assertThat(ended).isEqualTo(1);
    }

    private Withdrawal<Void> start(Duration settling) {
        Withdrawal<Void> withdrawal = new Withdrawal<>(time, settling, LEASE, attempts);
        withdrawal.start();
        return withdrawal;
    }
}
