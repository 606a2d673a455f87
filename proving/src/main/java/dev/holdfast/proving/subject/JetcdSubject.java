package dev.holdfast.proving.subject;

import dev.holdfast.proving.check.Rule;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.lease.LeaseKeepAliveResponse;
import io.etcd.jetcd.lock.LockResponse;
import io.etcd.jetcd.support.CloseableClient;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** jetcd's lock, on a lease of its own that is kept alive while the lock is wanted or held. */
final class JetcdSubject implements Subject {
    private static final long PATIENCE_SECONDS = 5;

    @Override
    public String id() {
        return "jetcd";
    }

    @Override
    public String title() {
        return "jetcd Lock";
    }

    @Override
    public Store store() {
        return Store.ETCD;
    }

    @Override
    public String version() {
        return Versions.of(Client.class);
    }

    @Override
    public String setUp() {
        return "a lease for each acquisition, kept alive until it is revoked; the end of its keep-alive stream is taken for the end of the"
                + " lock";
    }

    @Override
    public Promise promise() {
        return Promise.of(
                        "\"The lock is held until Unlock is called on the key or the lease associate with the owner expires\"")
                .not("the lock itself has no notice", Rule.SILENT_LOSS, Rule.LATE_NOTICE)
                .not(
                        "etcd's documents: its locks \"cannot be used for protecting external resources\" without the revision, and this API does not"
                                + " surface it",
                        Rule.LOST_WRITE)
                .notAfter(
                        Outages.PAUSES,
                        "etcd's documents: \"the lock APIs cannot be used as mutual exclusion mechanism by themselves\"",
                        Rule.OVERLAP);
    }

    @Override
    public boolean renews() {
        return true;
    }

    @Override
    public boolean hasTokens() {
        return false;
    }

    @Override
    public Duration freeAfter(Duration lease) {
        // Whole seconds, looked at twice a second.
        return lease.plusSeconds(2);
    }

    @Override
    public LockClient connect(Target target) {
        return new Locks(
                Client.builder().endpoints("http://" + target.address()).build(),
                target.lease().toSeconds());
    }

    private record Locks(Client client, long leaseSeconds) implements LockClient {
        @Override
        public Optional<HeldLock> acquire(String name, Duration maxWait) throws Exception {
            long lease = client.getLeaseClient()
                    .grant(leaseSeconds)
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .getID();
            Notice notice = new Notice();
            CloseableClient keeping = client.getLeaseClient().keepAlive(lease, notice);
            CompletableFuture<LockResponse> asked =
                    client.getLockClient().lock(ByteSequence.from(name, StandardCharsets.UTF_8), lease);
            try {
                // It cannot ask once: a moment is given for the answer.
                ByteSequence key = asked.get(Math.max(300, maxWait.toMillis()), TimeUnit.MILLISECONDS)
                        .getKey();
                return Optional.of(new Held(client, key, lease, keeping, notice));
            } catch (TimeoutException busy) {
                asked.cancel(true);
                giveUp(keeping, lease);
                return Optional.empty();
            } catch (Exception e) {
                giveUp(keeping, lease);
                throw e;
            }
        }

        /** The place in the queue, or the lock, goes with the lease. */
        private void giveUp(CloseableClient keeping, long lease) {
            keeping.close();
            var unused = client.getLeaseClient().revoke(lease);
        }

        @Override
        public void close() {
            client.close();
        }
    }

    private static final class Notice implements StreamObserver<LeaseKeepAliveResponse> {
        private final AtomicReference<String> lost = new AtomicReference<>();
        private volatile Consumer<String> callback = why -> {};

        @Override
        public void onNext(LeaseKeepAliveResponse answer) {
            if (answer.getTTL() <= 0) {
                lost("the lease is over");
            }
        }

        @Override
        public void onError(Throwable failure) {
            lost(String.valueOf(failure.getMessage()));
        }

        @Override
        public void onCompleted() {
            lost("the lease is kept alive no more");
        }

        private void lost(String why) {
            lost.set(why);
            callback.accept(why);
        }
    }

    private record Held(Client client, ByteSequence key, long lease, CloseableClient keeping, Notice notice)
            implements HeldLock {
        @Override
        public Belief belief() {
            return notice.lost.get() == null ? Belief.HELD : Belief.LOST;
        }

        @Override
        public void onLost(Consumer<String> told) {
            notice.callback = told;
        }

        @Override
        public boolean release() throws Exception {
            boolean kept = notice.lost.get() == null;
            notice.callback = why -> {};
            try {
                client.getLockClient().unlock(key).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                return kept;
            } finally {
                keeping.close();
                var unused = client.getLeaseClient().revoke(lease);
            }
        }
    }
}
