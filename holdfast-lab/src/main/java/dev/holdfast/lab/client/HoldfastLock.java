package dev.holdfast.lab.client;

import dev.holdfast.BackendNotice;
import dev.holdfast.DistributedLock;
import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastClosedException;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockListener;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.Loss;
import dev.holdfast.lab.wire.Lane;
import dev.holdfast.redis.RedlockBackend;
import java.time.Duration;

/** Holdfast's quorum, as any application would use it. */
final class HoldfastLock implements TestedLock {
    /** More than usual: fourteen processes share this machine. */
    private static final Duration NODE_TIMEOUT = Duration.ofMillis(500);

    private final Holdfast holdfast;

    /** Connects. Blocks until a majority has answered. */
    HoldfastLock(String client, String url, Duration maxLease, Reports reports) {
        RedlockBackend backend = RedlockBackend.builder(url)
                .maxLease(maxLease)
                .nodeTimeout(NODE_TIMEOUT)
                .connect();
        holdfast = Holdfast.builder(backend)
                .lease(maxLease)
                .maxLease(maxLease)
                .unavailableAfter(Duration.ofSeconds(5))
                .closeGrace(Duration.ZERO)
                .cohort(1)
                .describedAs("client " + client)
                .listener(new Teller(reports))
                .build();
    }

    @Override
    public Held ask(Duration lease, boolean renewed, boolean once) throws InterruptedException, NotGrantedException {
        DistributedLock renewedLock = holdfast.lock(Lane.LOCK_NAME).withLease(lease);
        DistributedLock lock = renewed ? renewedLock : renewedLock.fixed();
        try {
            return new HeldLease(
                    once
                            ? lock.tryAcquire()
                                    .orElseThrow(() -> new NotGrantedException(true, "somebody else holds it"))
                            : lock.acquire());
        } catch (LockUnavailableException | HoldfastClosedException unavailable) {
            throw new NotGrantedException(false, String.valueOf(unavailable.getMessage()));
        }
    }

    @Override
    public void close() {
        holdfast.close();
    }

    private record HeldLease(Lease lease) implements Held {
        @Override
        public long token() {
            return lease.token().value();
        }

        @Override
        public int votes() {
            return lease.votes().granted();
        }

        @Override
        public Duration remaining() {
            return lease.remaining();
        }

        @Override
        public void release() {
            lease.close();
        }
    }

    private record Teller(Reports reports) implements LockListener {
        @Override
        public void waiting(LockKey lock) {
            reports.tell(Lane.HOLDFAST, "waiting");
        }

        @Override
        public void renewed(LockKey lock, FencingToken token) {
            reports.tell(Lane.HOLDFAST, "renewed", "token", token.value());
        }

        @Override
        public void lost(Loss loss) {
            reports.tell(Lane.HOLDFAST, "lost", "token", loss.token().value(), "why", loss.why());
        }

        @Override
        public void notice(BackendNotice notice) {
            reports.tell(Lane.HOLDFAST, "notice", "source", notice.source(), "text", notice.text());
        }
    }
}
