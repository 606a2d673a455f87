package dev.holdfast;

import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A held lock as the backend sees it.
 *
 * @param owner identifies this tenure, for {@link Holdfast#breakLock}
 * @param token the newest fencing token that this tenure may hand out; the lease in use may carry a slightly lower one
 * @param since when the tenure began, by the clock of the store
 * @param remaining how long it lasts if nobody renews it
 * @param waiters the processes in the backend's queue, oldest first; always empty where {@link Guarantees#fair} is false
 * @param votes how many nodes of the store hold it so
 */
public record LockState(
        String name,
        Owner owner,
        Holder holder,
        FencingToken token,
        Instant since,
        Duration remaining,
        List<Holder> waiters,
        Votes votes) {
    public LockState {
        waiters = List.copyOf(waiters);
    }

    /** In a store that is one node. */
    public LockState(
            String name,
            Owner owner,
            Holder holder,
            FencingToken token,
            Instant since,
            Duration remaining,
            List<Holder> waiters) {
        this(name, owner, holder, token, since, remaining, waiters, Votes.ONE_OF_ONE);
    }
}
