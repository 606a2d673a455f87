package dev.holdfast.proving.subject;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Holdfast in a client process. */
final class HoldfastClient implements LockClient {
    private final Holdfast holdfast;

    HoldfastClient(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    @Override
    public Optional<HeldLock> acquire(String name, Duration maxWait) throws InterruptedException {
        return holdfast.lock(name).tryAcquire(maxWait).map(HeldLease::new);
    }

    @Override
    public void close() {
        holdfast.close();
    }

    private static final class HeldLease implements HeldLock {
        private static final long PATIENCE_SECONDS = 30;

        private final Lease lease;
        private final AtomicBoolean lost = new AtomicBoolean();

        HeldLease(Lease lease) {
            this.lease = lease;
            lease.onLost(loss -> lost.set(true));
        }

        @Override
        public OptionalLong token() {
            return OptionalLong.of(lease.token().value());
        }

        @Override
        public Belief belief() {
            // The clock first: what is left is then never overestimated.
            long now = System.nanoTime();
            long remaining = lease.remaining().toNanos();
            return remaining > 0 ? new Belief(true, OptionalLong.of(now + remaining)) : Belief.LOST;
        }

        @Override
        public void onLost(Consumer<String> callback) {
            lease.onLost(loss -> callback.accept(loss.why()));
        }

        @Override
        public boolean release() throws Exception {
            try {
                lease.releaseAsync().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof LockUnavailableException unavailable) {
                    throw unavailable;
                }
                throw e;
            }
            return !lost.get();
        }
    }
}
