package dev.holdfast.tck;

import dev.holdfast.Lease;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * Whether a lease was renewed since it was last looked at: only that lets what is left of it grow. Looks often, because what is
 * left after two renewals is hardly ever the same, and may be less after the later one.
 */
public final class Renewed implements Callable<Boolean> {
    private final Lease lease;
    private Duration last;

    private Renewed(Lease lease) {
        this.lease = lease;
        this.last = lease.remaining();
    }

    /** From now on. */
    public static Renewed since(Lease lease) {
        return new Renewed(lease);
    }

    @Override
    public Boolean call() {
        Duration now = lease.remaining();
        boolean grown = now.compareTo(last) > 0;
        last = now;
        return grown;
    }
}
