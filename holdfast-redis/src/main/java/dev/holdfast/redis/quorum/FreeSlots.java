package dev.holdfast.redis.quorum;

import dev.holdfast.spi.Claim;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Looks for a slot of a semaphore that nobody has, by what all nodes say. A home knows only the votes that it was asked for: it
 * may have missed some, and may keep some that are left over.
 */
final class FreeSlots {
    /** All are taken, or kept for those whose turn it is. */
    static final int NONE = -1;

    private final Quorum quorum;
    private final Members members;

    FreeSlots(Quorum quorum) {
        this.quorum = quorum;
        this.members = quorum.members;
    }

    /** Any of them, or {@link #NONE}. Fails if too few nodes answer. */
    CompletionStage<Integer> find(Claim claim) {
        List<String> names = SlotNames.below(claim.key(), claim.slots());
        return Gather.all(
                members, member -> quorum.look(member, names, List.of()), gather -> choose(claim, names, gather));
    }

    private @Nullable Integer choose(Claim claim, List<String> names, Gather<QuorumReplies.Looked> gather) {
        // One that hangs is not waited for.
        if (gather.replies().size() < members.majority || gather.pending() > members.unhealthy()) {
            return null;
        }
        LockSight sight = new LockSight(members);
        gather.forEach((member, looked) -> sight.add(member, names, looked));
        List<String> free = names.stream()
                .filter(name -> !sight.mayBeHeld(name) && !sight.isKeptFromUs(name, claim.owner()))
                .toList();
        List<String> untouched = free.stream().filter(sight::isUntouched).toList();
        List<String> best = untouched.isEmpty() ? free : untouched;
        // At random: others who look at the same moment see the same.
        return best.isEmpty()
                ? NONE
                : SlotNames.slotOf(best.get(quorum.environment.random().nextInt(best.size())));
    }
}
