package dev.holdfast.tck;

import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A backend that is right and simpler than the one it stands on: without a queue, polled or with hints. */
final class Queueless extends PassingOn {
    private static final Duration POLL = Duration.ofMillis(20);

    /** All clients that want to hear when a lock may be free. */
    static final class Hints {
        private final List<Events> listeners = new CopyOnWriteArrayList<>();

        void tell(String name) {
            listeners.forEach(each -> each.maybeFree(name));
        }
    }

    private final @Nullable Hints hints;

    Queueless(LockBackend right) {
        this(right, null);
    }

    Queueless(LockBackend right, @Nullable Hints hints) {
        super(right);
        this.hints = hints;
    }

    @Override
    public void open(Environment environment, Events events) {
        right.open(environment, events);
        if (hints != null) {
            hints.listeners.add(events);
        }
    }

    @Override
    public Guarantees guarantees() {
        Waking waking = hints == null ? Waking.POLL : Waking.HINT;
        return Guarantees.builder()
                .exclusion("threads of one process")
                .tokenSource("a counter")
                .waking(waking)
                .fair(false)
                .heldAtLeast(true)
                .offers(LockKind.SEMAPHORE)
                .offers(LockKind.READ_WRITE_LOCK)
                .build();
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return right.tryAcquire(Wire.unqueued(claim))
                .thenApply(answer -> answer instanceof Answer.Busy busy && hints == null
                        ? new Answer.Busy(POLL, false, busy.heldBy())
                        : answer);
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return right.release(holding).thenApply(released -> told(holding.key(), released));
    }

    @Override
    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        return right.releaseLater(holding, keep).thenApply(released -> told(holding.key(), released));
    }

    @Override
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        return right.withdraw(key, owner, slots).thenApply(done -> told(key, null));
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return right.breakLock(key, owner, slot).thenApply(broken -> told(key, broken));
    }

    private <T> T told(String name, T answer) {
        if (hints != null) {
            hints.tell(name);
        }
        return answer;
    }
}
