package dev.holdfast.benchmarks.sidebyside;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.RedisBackend;
import dev.holdfast.spi.LockBackend;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** @param cohort how many leases in a row stay in one process; 1 is off */
record HoldfastPeer(String name, int cohort) implements Peer {
    @Override
    public String setUp() {
        return "RedisBackend.connect(url), cohort " + cohort + ", else all defaults";
    }

    @Override
    public Client connect(List<String> urls) {
        return client(RedisBackend.connect(urls.get(0)), cohort);
    }

    static Client client(LockBackend backend, int cohort) {
        return new HoldfastClient(
                Holdfast.builder(backend).cohort(cohort).executor(Runnable::run).build());
    }

    private record HoldfastClient(Holdfast holdfast) implements Client {
        @Override
        public Held lock(String name) throws InterruptedException {
            return new HeldLease(holdfast.lock(name).acquire());
        }

        @Override
        public CompletableFuture<Held> lockAsync(String name) {
            return holdfast.lock(name).acquireAsync().thenApply(HeldLease::new);
        }

        @Override
        public void close() {
            holdfast.close();
        }
    }

    private record HeldLease(Lease lease) implements Held {
        @Override
        public void unlock() throws ExecutionException {
            lease.close();
        }

        @Override
        public CompletableFuture<?> unlockAsync() {
            return lease.releaseAsync();
        }
    }
}
