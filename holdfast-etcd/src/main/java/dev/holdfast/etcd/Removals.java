package dev.holdfast.etcd;

import com.google.protobuf.ByteString;
import dev.holdfast.spi.Environment;
import java.util.concurrent.CompletableFuture;

/** Removes keys of claims, each of them only if it is the one that was meant. */
final class Removals {
    private static final long REPEAT_NANOS = 500_000_000L;

    private final Transactions transactions;
    private final Environment environment;

    Removals(Transactions transactions, Environment environment) {
        this.transactions = transactions;
        this.environment = environment;
    }

    /** False: it was not there. */
    CompletableFuture<Boolean> remove(ByteString key, long revision) {
        return transactions
                .ask(Keys.queueOf(key), Requests.remove(key, revision))
                .thenApply(done -> done.getSucceeded());
    }

    /** The same. If that fails, it is repeated: the lease may live on for other locks, and nobody else knows of this key. */
    CompletableFuture<Boolean> removeForSure(ByteString key, long revision, ServerLease lease) {
        return remove(key, revision).whenComplete((removed, failure) -> {
            if (failure != null) {
                repeat(key, revision, lease);
            }
        });
    }

    private void repeat(ByteString key, long revision, ServerLease lease) {
        environment.schedule(REPEAT_NANOS, () -> {
            if (!lease.over) {
                var unused = removeForSure(key, revision, lease);
            }
        });
    }
}
