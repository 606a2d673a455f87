package dev.holdfast.memory;

import dev.holdfast.Finding;
import dev.holdfast.Guarantees;
import dev.holdfast.Guarantees.Waking;
import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.Severity;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import dev.holdfast.testing.LockControls;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Locks in the memory of this process: for programs that are one process today, and for tests. Complete: leases expire,
 * tokens grow, waiters are served in order, locks can be listed and broken.
 *
 * <p>Several clients can share one memory ({@link #another}), which stands for several processes in a test. {@link
 * #controls} makes it misbehave.
 */
public final class InMemoryBackend implements LockBackend {
    private static final Guarantees GUARANTEES = Guarantees.builder()
            .exclusion("nothing that ends this one process: the locks are gone with it")
            .tokenSource("a counter in memory")
            .waking(Waking.HAND_OVER)
            .fair(true)
            .heldAtLeast(true)
            .offers(LockKind.SEMAPHORE)
            .offers(LockKind.READ_WRITE_LOCK)
            .build();

    private final Memory memory;
    private final SharedMemory shared;
    private final Controls controls = new Controls();
    private @Nullable Environment environment;
    private @Nullable Events events;

    /** With a memory of its own. */
    public InMemoryBackend() {
        this(new Memory(), new SharedMemory());
    }

    private InMemoryBackend(Memory memory, SharedMemory shared) {
        this.memory = memory;
        this.shared = shared;
    }

    /** Another client of the same memory, for another Holdfast: what one holds the other cannot get. */
    public InMemoryBackend another() {
        return new InMemoryBackend(memory, shared);
    }

    /** Makes this client, or the memory it shares, misbehave. For tests. */
    public LockControls controls() {
        return controls;
    }

    @Override
    public void open(Environment environment, Events events) {
        if (this.events != null) {
            throw new IllegalStateException(
                    "This backend belongs to a Holdfast already. To share its memory, give the other one another().");
        }
        this.environment = environment;
        this.events = events;
    }

    @Override
    public Duration settling() {
        return Duration.ZERO;
    }

    @Override
    public Guarantees guarantees() {
        return GUARANTEES;
    }

    private static boolean isLock(String key) {
        return LockKey.kindOf(key) == LockKind.LOCK;
    }

    @Override
    public CompletionStage<Answer> tryAcquire(Claim claim) {
        return controls.answer(() -> isLock(claim.key()) ? memory.acquire(claim, this) : shared.acquire(claim, this));
    }

    @Override
    public CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        return controls.answer(() -> {
            long now = now();
            List<Renewal> answers = new ArrayList<>(holdings.size());
            for (Holding holding : holdings) {
                answers.add(isLock(holding.key()) ? memory.renew(holding, now) : shared.renew(holding, now));
            }
            return answers;
        });
    }

    @Override
    public CompletionStage<Boolean> release(Holding holding) {
        return controls.answer(() -> isLock(holding.key())
                ? memory.release(holding.key(), holding.owner(), now())
                : shared.release(holding.key(), holding.owner(), now()));
    }

    @Override
    public CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        return controls.answer(() -> isLock(holding.key())
                ? memory.releaseLater(holding, keep, now())
                : shared.releaseLater(holding, keep, now()));
    }

    @Override
    public CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        return controls.answer(
                () -> isLock(key) ? memory.withdraw(key, owner, now()) : shared.withdraw(key, owner, now()));
    }

    @Override
    public CompletionStage<List<LockState>> describe(String key) {
        return controls.answer(() -> isLock(key) ? memory.describe(key, now()) : shared.describe(key, now()));
    }

    @Override
    public CompletionStage<List<LockState>> list(String keyPrefix, int limit) {
        return controls.answer(() -> Stream.concat(
                        shared.list(keyPrefix, limit, now()).stream(), memory.list(keyPrefix, limit, now()).stream())
                .limit(limit)
                .toList());
    }

    @Override
    public CompletionStage<Optional<LockState>> breakLock(String key, Owner owner, int slot) {
        return controls.answer(
                () -> isLock(key) ? memory.breakLock(key, owner, now()) : shared.breakLock(key, owner, now()));
    }

    private long now() {
        return environment().nanoTime();
    }

    @Override
    public CompletionStage<List<Finding>> diagnose() {
        return controls.answer(() -> List.of(new Finding(
                "memory.one-process",
                Severity.NOTE,
                "The locks live in this process: no other process sees them.",
                "Use another backend as soon as there is a second process.")));
    }

    @Override
    public void close() {
        controls.failHeldBack();
        memory.forgetWaitersOf(this);
        if (environment != null) {
            shared.forgetWaitersOf(this, now());
        }
    }

    Environment environment() {
        return Objects.requireNonNull(environment, "open() comes first");
    }

    /** Called by the memory with no lock held. */
    void push(Runnable event) {
        controls.deliver(event);
    }

    Events events() {
        return Objects.requireNonNull(events, "open() comes first");
    }

    /** Stands between the memory and this client. */
    private final class Controls implements LockControls {
        /** @param future the answer that waits; null for an event */
        private record HeldBack(Runnable delivery, @Nullable CompletableFuture<?> future) {}

        // Guards heldBack, and the writes of paused. Nothing is delivered while it is held.
        private final ReentrantLock lock = new ReentrantLock();
        private final ArrayDeque<HeldBack> heldBack = new ArrayDeque<>();
        private volatile boolean paused;
        private volatile boolean disconnected;

        <T> CompletableFuture<T> answer(Supplier<T> operation) {
            if (disconnected) {
                String text = "the in-memory backend was disconnected by its controls";
                return CompletableFuture.failedFuture(new NotSentException(text, null));
            }
            T answer = operation.get();
            if (!paused) {
                return CompletableFuture.completedFuture(answer);
            }
            CompletableFuture<T> later = new CompletableFuture<>();
            deliver(new HeldBack(() -> later.complete(answer), later));
            return later;
        }

        void deliver(Runnable event) {
            deliver(new HeldBack(event, null));
        }

        private void deliver(HeldBack delivery) {
            if (paused) {
                lock.lock();
                try {
                    if (paused) {
                        heldBack.add(delivery);
                        return;
                    }
                } finally {
                    lock.unlock();
                }
            }
            delivery.delivery().run();
        }

        @Override
        public void expireNow(LockKey lock) {
            if (lock.kind() == LockKind.LOCK) {
                memory.expireNow(lock.name(), now());
            } else {
                shared.expireNow(lock.encoded(), now());
            }
        }

        @Override
        public void lose(LockKey lock) {
            if (lock.kind() == LockKind.LOCK) {
                memory.lose(lock.name(), now());
            } else {
                shared.lose(lock.encoded(), now());
            }
        }

        @Override
        public void pause() {
            paused = true;
        }

        @Override
        public void resume() {
            takeHeldBack().forEach(each -> each.delivery().run());
        }

        private List<HeldBack> takeHeldBack() {
            lock.lock();
            try {
                paused = false;
                List<HeldBack> taken = List.copyOf(heldBack);
                heldBack.clear();
                return taken;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void disconnect() {
            disconnected = true;
        }

        @Override
        public void reconnect() {
            disconnected = false;
        }

        void failHeldBack() {
            for (HeldBack each : takeHeldBack()) {
                if (each.future() != null) {
                    each.future().completeExceptionally(new IllegalStateException("The in-memory backend was closed"));
                }
            }
        }
    }
}
