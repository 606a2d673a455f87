package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Environment;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Removes keys of claims, each of them only if it is the one that was meant. */
final class Removals {
    private static final long REPEAT_NANOS = 500_000_000L;

    /** A key, and the revision that created it. */
    private record Leaving(ByteString key, long revision) {}

    private final Transactions transactions;
    private final Environment environment;
    private final Set<Leaving> leaving = ConcurrentHashMap.newKeySet();

    Removals(Transactions transactions, Environment environment) {
        this.transactions = transactions;
        this.environment = environment;
    }

    /** False: it was not there. */
    CompletableFuture<Boolean> remove(ByteString key, long revision) {
        return transactions.ask(Keys.keyOf(key), Requests.remove(key, revision)).thenApply(done -> done.getSucceeded());
    }

    /** The same. If that fails, it is repeated: the lease may live on for other locks, and nobody else knows of this key. */
    CompletableFuture<Boolean> removeForSure(ByteString key, long revision, ServerLease lease) {
        Leaving mine = new Leaving(key, revision);
        leaving.add(mine);
        return remove(key, revision).whenComplete((removed, failure) -> {
            if (failure == null) {
                leaving.remove(mine);
            } else {
                repeat(mine, lease);
            }
        });
    }

    private void repeat(Leaving mine, ServerLease lease) {
        environment.schedule(REPEAT_NANOS, () -> {
            if (lease.over) {
                // Nothing is granted on it any more, so it does not matter whether the key is there.
                leaving.remove(mine);
            } else {
                var unused = removeForSure(mine.key, mine.revision, lease);
            }
        });
    }

    /** Whether it may be removed at any time from now on: whoever finds it there must not stand on it. */
    boolean isLeaving(ByteString key, long revision) {
        return leaving.contains(new Leaving(key, revision));
    }
}
