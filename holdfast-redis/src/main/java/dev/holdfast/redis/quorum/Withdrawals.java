package dev.holdfast.redis.quorum;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Validity;
import dev.holdfast.spi.Withdrawal;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Takes back what may be left at single nodes: votes of rounds that failed, of tenures that ended. A vote that nobody uses
 * blocks rivals until it expires. See {@link Withdrawal}; a node that comes back is asked at once.
 */
final class Withdrawals {
    private final Environment environment;
    private final Duration settling;
    /** What waits for its node to answer again, by its number: the oldest first, and in the same order in every simulation. */
    private final Map<Long, AtMember<?>> unconfirmed = new ConcurrentSkipListMap<>();

    private final AtomicLong numbers = new AtomicLong();

    private volatile boolean closed;

    Withdrawals(Environment environment, Duration timeout) {
        this.environment = environment;
        this.settling = timeout.plusNanos(Validity.driftNanos(timeout));
    }

    /**
     * Sends at once, and answers what came of that.
     *
     * @param underway whether a request that could bring the vote back may still arrive
     */
    <T> CompletionStage<T> start(Member member, Duration lease, boolean underway, Supplier<CompletionStage<T>> undo) {
        AtMember<T> attempts = new AtMember<>(member, undo);
        Withdrawal<T> withdrawal = new Withdrawal<>(environment, underway ? settling : Duration.ZERO, lease, attempts);
        attempts.withdrawal = withdrawal;
        return withdrawal.start();
    }

    /** The node can be reached again. */
    void retryNow(Member member) {
        for (AtMember<?> each : unconfirmed.values()) {
            if (each.member == member) {
                each.withdrawal.retryNow();
            }
        }
    }

    /** One thing to be taken back at one node. */
    private final class AtMember<T> implements Withdrawal.Attempts<T> {
        private final long number = numbers.incrementAndGet();
        private final Member member;
        private final Supplier<CompletionStage<T>> undo;
        /** Set before the first attempt. */
        private volatile Withdrawal<?> withdrawal;

        @SuppressWarnings("NullAway.Init") // It needs this one first; start() sets it before anybody asks.
        AtMember(Member member, Supplier<CompletionStage<T>> undo) {
            this.member = member;
            this.undo = undo;
        }

        @Override
        public CompletionStage<T> attempt() {
            unconfirmed.remove(number);
            return undo.get();
        }

        @Override
        public void schedule(long delayNanos, Runnable next) {
            if (!closed) {
                environment.schedule(delayNanos, () -> {
                    if (!closed) {
                        next.run();
                    }
                });
            }
        }

        /** A node that does not vote has no vote of ours that counts; by the time it votes again, it has none at all. */
        @Override
        public boolean isConfirmedBy(Throwable failure) {
            return failure instanceof Unadmitted;
        }

        @Override
        public void failed(Throwable failure, Duration left) {
            if (!closed) {
                unconfirmed.put(number, this);
            }
        }

        @Override
        public void ended() {
            unconfirmed.remove(number);
        }
    }

    void close() {
        closed = true;
        unconfirmed.clear();
    }
}
