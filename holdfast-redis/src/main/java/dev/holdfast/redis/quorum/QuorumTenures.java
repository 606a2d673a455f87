package dev.holdfast.redis.quorum;

import dev.holdfast.Votes;
import dev.holdfast.redis.node.Script;
import dev.holdfast.spi.Holding;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.Renewal;
import dev.holdfast.spi.Validity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Renews and ends what a majority stands for. */
final class QuorumTenures {
    private static final Renewal GONE = new Renewal.Gone();

    /** How a tenure began. */
    record Won(long token, int tokens, Votes votes, long round, int slot) {}

    private final Quorum quorum;
    private final Members members;
    private final ConcurrentHashMap<Owner, Won> held = new ConcurrentHashMap<>();

    QuorumTenures(Quorum quorum) {
        this.quorum = quorum;
        this.members = quorum.members;
    }

    void begin(Owner owner, Won won) {
        held.put(owner, won);
    }

    @Nullable
    Won known(Owner owner) {
        return held.get(owner);
    }

    void forget(Owner owner) {
        held.remove(owner);
    }

    // ---- renewal

    /** One request to each node, whatever the number of tenures; complete as soon as every one of them is decided. */
    CompletionStage<List<Renewal>> renew(List<Holding> holdings) {
        if (holdings.isEmpty()) {
            return CompletableFuture.completedStage(List.of());
        }
        String[] keys = new String[1 + holdings.size()];
        keys[0] = quorum.keys.admission();
        for (int i = 0; i < holdings.size(); i++) {
            keys[1 + i] = quorum.keys.lock(Quorum.nameOf(holdings.get(i)));
        }
        long sent = quorum.environment.nanoTime();
        return Gather.all(
                members,
                member -> member.call(Script.QUORUM_RENEW, keys, renewArguments(holdings)),
                gather -> decide(holdings, gather, sent));
    }

    private String[] renewArguments(List<Holding> holdings) {
        String[] arguments = new String[1 + 4 * holdings.size()];
        arguments[0] = "";
        for (int i = 0; i < holdings.size(); i++) {
            Holding holding = holdings.get(i);
            Won won = held.get(holding.owner());
            arguments[1 + 4 * i] = holding.owner().toString();
            arguments[2 + 4 * i] = Long.toString(holding.lastToken());
            arguments[3 + 4 * i] = Long.toString(holding.lease().toMillis());
            arguments[4 + 4 * i] = Long.toString(won == null ? 0 : won.round);
        }
        return arguments;
    }

    private @Nullable List<Renewal> decide(List<Holding> holdings, Gather<List<Object>> gather, long sentNanos) {
        List<List<Object>> replies = gather.replies();
        if (gather.pending() > 0 && replies.size() < members.majority) {
            return null;
        }
        List<Renewal> renewals = new ArrayList<>(holdings.size());
        for (int i = 0; i < holdings.size(); i++) {
            Renewal renewal = decide(i, replies, sentNanos, holdings.get(i));
            if (renewal == null) {
                if (gather.pending() > 0) {
                    return null;
                }
                renewal = new Renewal.Unknown(gather.unavailable());
            }
            renewals.add(renewal);
        }
        return renewals;
    }

    private @Nullable Renewal decide(int item, List<List<Object>> replies, long sentNanos, Holding holding) {
        int extended = 0;
        int gone = 0;
        for (List<Object> reply : replies) {
            QuorumReplies.Renewed renewed = QuorumReplies.Renewed.of(reply, item);
            extended += renewed == QuorumReplies.Renewed.EXTENDED ? 1 : 0;
            gone += renewed == QuorumReplies.Renewed.NOT_OURS ? 1 : 0;
        }
        if (extended >= members.majority) {
            return new Renewal.Renewed(Validity.until(sentNanos, holding.lease()));
        }
        // Proof only if the others are too few. A node that does not vote is no proof: whoever held its vote is
        // protected
        // by its silence until the lease is over.
        return members.size() - gone < members.majority ? GONE : null;
    }

    // ---- the end

    /** Everywhere, at once; complete when a majority has confirmed. Whatever is left elsewhere is taken back later. */
    CompletionStage<Boolean> release(Holding holding) {
        String name = Quorum.nameOf(holding);
        String[] keys = quorum.keysOf(name);
        String owner = holding.owner().toString();
        return Gather.all(
                members, member -> quorum.release(member, keys, name, owner, holding.lease()), this::decideRelease);
    }

    private @Nullable Boolean decideRelease(Gather<QuorumReplies.Ended> gather) {
        int ours = gather.count(QuorumReplies.Ended::wasOurs);
        int answered = gather.replies().size();
        if (ours >= members.majority) {
            return true;
        }
        if (answered < members.majority) {
            return null;
        }
        boolean outOfReach = members.size() - (answered - ours) < members.majority;
        if (outOfReach) {
            return false;
        }
        return gather.pending() > 0 ? null : Boolean.valueOf(ours > 0);
    }

    /**
     * As {@link #release}, with the votes left where they are for that time. True if a majority keeps them so. If it cannot be
     * told, core asks again with what is left.
     */
    CompletionStage<Boolean> releaseLater(Holding holding, Duration keep) {
        long until = quorum.environment.nanoTime() + keep.toNanos();
        String[] keys = quorum.keysOf(Quorum.nameOf(holding));
        Won won = held.get(holding.owner());
        String round = Long.toString(won == null ? 0 : won.round);
        // Asked again meanwhile, it needs the round; nobody asks after that.
        quorum.environment.schedule(keep.toNanos(), () -> held.remove(holding.owner()));
        return quorum.maxLeaseRecord
                .announce(keep)
                .thenCompose(known -> Gather.all(
                        members, member -> quorum.releaseLater(member, keys, holding, round, until), this::decideKept));
    }

    private @Nullable Boolean decideKept(Gather<Boolean> gather) {
        int kept = gather.count(Boolean::booleanValue);
        if (kept >= members.majority) {
            return true;
        }
        int gone = gather.replies().size() - kept;
        // Proof only if the others are too few, as for a renewal.
        return members.size() - gone < members.majority ? Boolean.FALSE : null;
    }

    @SuppressWarnings("NullAway") // The only value of Void.
    CompletionStage<Void> withdraw(String key, Owner owner, int slots) {
        return Gather.all(
                        members,
                        member -> quorum.withdraw(member, key, owner, slots),
                        gather -> gather.replies().size() >= members.majority ? Boolean.TRUE : null)
                .thenApply(done -> null);
    }
}
