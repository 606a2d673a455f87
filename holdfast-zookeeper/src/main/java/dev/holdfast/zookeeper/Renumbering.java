package dev.holdfast.zookeeper;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.RefusedException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;

/**
 * Begins a queue anew when its numbers are used up. The server counts the claims of a name in 31 bits; at the end it gives
 * the same number again and again, and several claims would take themselves for the first.
 *
 * <p>From {@link #LAST} on nobody enters. Who stands in the queue is served; then, in one transaction, somebody removes the name's
 * node and enters below a new one. The server removes no node that has children, so at that moment nobody holds the lock.
 * Tokens go on growing: they come from zxids, not from these numbers.
 */
final class Renumbering {
    /** Far enough from the end for every client to find out with a claim that it takes back. */
    static final int LAST = 2_000_000_000;

    private final ClaimCreator creator;
    private final Paths paths;
    /** Names of which we have seen it; each stays until its queue was begun anew. */
    private final Set<String> usedUp = ConcurrentHashMap.newKeySet();

    Renumbering(ClaimCreator creator, Paths paths) {
        this.creator = creator;
        this.paths = paths;
    }

    static boolean isUsedUp(int sequence) {
        return sequence < 0 || sequence > LAST;
    }

    /** The server shows twice the number of claims ever made, less those that are there. */
    static boolean isUsedUp(Stat queue) {
        return Integer.toUnsignedLong(queue.getCversion() + queue.getNumChildren()) / 2 > LAST;
    }

    void noteUsedUp(String name) {
        usedUp.add(name);
    }

    boolean isNoted(String name) {
        return usedUp.contains(name);
    }

    /** A claim in a new queue; empty while others stand in the old one. Two requests. */
    CompletableFuture<Optional<ClaimCreator.Entry>> enter(Session session, Claim claim) {
        String lock = paths.lock(claim.key());
        return session.list(lock).thenCompose(found -> {
            if (found.isEmpty() || !isUsedUp(found.get().stat())) {
                usedUp.remove(claim.key());
                return creator.create(session, claim).thenApply(Optional::of);
            }
            if (!found.get().children().isEmpty()) {
                return QueuedClaim.inOrder(found.get().children()).isEmpty()
                        ? CompletableFuture.failedFuture(new RefusedException(blocked(lock)))
                        : CompletableFuture.completedFuture(Optional.empty());
            }
            return Futures.recover(
                    creator.createAnew(session, claim).thenApply(entry -> {
                        usedUp.remove(claim.key());
                        return Optional.of(entry);
                    }),
                    // Somebody else was faster, or has just entered.
                    failure -> Errors.is(failure, Code.NOTEMPTY) || Nodes.isMissing(failure)
                            ? CompletableFuture.completedFuture(Optional.empty())
                            : CompletableFuture.failedFuture(failure));
        });
    }

    private static String blocked(String lock) {
        return "the numbers of the claims below " + lock
                + " are used up, and nodes that are not claims keep that node from"
                + " being made anew. Remove what is below it";
    }
}
