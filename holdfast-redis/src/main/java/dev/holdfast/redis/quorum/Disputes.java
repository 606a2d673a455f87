package dev.holdfast.redis.quorum;

import dev.holdfast.spi.Environment;
import dev.holdfast.spi.Owner;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How often in a row a claim that waits has met rivals of whom none had a majority. A claim whose caller has gone is not
 * always told of, so what has not been asked for a while is dropped as soon as there are many.
 */
final class Disputes {
    /** A disputed claim comes back after a second or two. */
    private static final long FORGET_AFTER_NANOS = 60_000_000_000L;

    static final int MANY = 256;

    private record Dispute(int count, long lastNanos) {}

    private final Environment environment;
    private final ConcurrentHashMap<Owner, Dispute> disputes = new ConcurrentHashMap<>();

    Disputes(Environment environment) {
        this.environment = environment;
    }

    /** It met rivals again; answers how often in a row by now. */
    int met(Owner owner) {
        long now = environment.nanoTime();
        if (disputes.size() >= MANY) {
            disputes.values().removeIf(each -> now - each.lastNanos > FORGET_AFTER_NANOS);
        }
        return disputes.compute(owner, (same, before) -> new Dispute(before == null ? 1 : before.count + 1, now)).count;
    }

    void over(Owner owner) {
        disputes.remove(owner);
    }

    int size() {
        return disputes.size();
    }
}
