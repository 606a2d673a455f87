package dev.holdfast.redis;

import dev.holdfast.FencingToken;
import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.Votes;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Who holds what, by the votes of all nodes that answer. */
final class QuorumView {
    private static final int NAMES_PER_REQUEST = 100;

    /** One node's vote. */
    private record Vote(Member node, String owner, long token, long sinceMicros, Holder holder, long remainingMillis) {
        /** Null for what is not ours, and for a reservation. */
        static @Nullable Vote parse(Member node, @Nullable Object value, long remainingMillis) {
            if (value == null) {
                return null;
            }
            String[] fields = value.toString().split(" ", 7);
            Holder holder = fields.length < 7 ? null : Wire.parseHolder(fields[6]);
            if (holder == null || fields[2].equals("0")) {
                return null;
            }
            try {
                return new Vote(
                        node, fields[0], Long.parseLong(fields[2]), Long.parseLong(fields[4]), holder, remainingMillis);
            } catch (NumberFormatException notOurs) {
                return null;
            }
        }
    }

    private final Quorum quorum;
    private final Members members;

    QuorumView(Quorum quorum) {
        this.quorum = quorum;
        this.members = quorum.members;
    }

    // ---- describe

    CompletionStage<Optional<LockState>> describe(String name) {
        return describe(List.of(name)).thenApply(states -> states.stream().findFirst());
    }

    /** Those of the names that a majority stands for, in the same order. */
    private CompletionStage<List<LockState>> describe(List<String> names) {
        String[] keys = new String[1 + names.size()];
        keys[0] = quorum.keys.admission();
        for (int i = 0; i < names.size(); i++) {
            keys[1 + i] = quorum.keys.lock(names.get(i));
        }
        return Gather.all(
                members, member -> member.call(Script.QUORUM_DESCRIBE, keys, ""), gather -> decide(names, gather));
    }

    private @Nullable List<LockState> decide(List<String> names, Gather gather) {
        List<List<Object>> replies = gather.replies();
        // All that are well are heard, so that votes are counted and not only decided. One that hangs is not waited
        // for.
        if (replies.size() < members.majority || gather.pending() > silent()) {
            return null;
        }
        List<LockState> states = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            List<Vote> votes = new ArrayList<>();
            int at = 2 + i;
            gather.forEach((node, reply) -> {
                List<?> fields = (List<?>) reply.get(at);
                add(votes, Vote.parse(node, fields.get(0), (Long) fields.get(1)));
            });
            int missing = members.size() - replies.size();
            // Nodes that do not answer may be the rest of a majority: then it is shown, with the votes that were seen.
            int enough = gather.pending() > 0 ? members.majority : Math.max(1, members.majority - missing);
            LockState state = state(names.get(i), votes, enough);
            if (state != null) {
                states.add(state);
            } else if (most(votes) + missing >= members.majority) {
                return null;
            }
        }
        return states;
    }

    private static void add(List<Vote> votes, @Nullable Vote vote) {
        if (vote != null) {
            votes.add(vote);
        }
    }

    private int silent() {
        return (int) members.all.stream().filter(member -> !member.isWell()).count();
    }

    private static int most(List<Vote> votes) {
        return votes.stream()
                .mapToInt(vote -> (int) votes.stream()
                        .filter(other -> other.owner.equals(vote.owner))
                        .count())
                .max()
                .orElse(0);
    }

    private @Nullable LockState state(String name, List<Vote> votes, int enough) {
        Map<String, List<Vote>> byOwner = new HashMap<>();
        votes.forEach(vote ->
                byOwner.computeIfAbsent(vote.owner, owner -> new ArrayList<>()).add(vote));
        for (List<Vote> same : byOwner.values()) {
            if (same.size() >= enough) {
                return state(name, same.get(0).owner, same);
            }
        }
        return null;
    }

    private @Nullable LockState state(String name, String owner, List<Vote> votes) {
        // It lasts as long as a majority does.
        long[] remaining =
                votes.stream().mapToLong(Vote::remainingMillis).sorted().toArray();
        long lasts = Math.max(0, remaining[Math.max(0, votes.size() - members.majority)]);
        Vote vote = votes.stream()
                .max((one, two) -> Long.compare(standing(votes, one), standing(votes, two)))
                .orElseThrow();
        try {
            return new LockState(
                    name,
                    Owner.parse(owner),
                    vote.holder,
                    new FencingToken(vote.token),
                    Instant.EPOCH.plus(vote.sinceMicros, ChronoUnit.MICROS),
                    Duration.ofMillis(lasts),
                    List.of(),
                    votes(votes));
        } catch (IllegalArgumentException notOurs) {
            return null;
        }
    }

    private Votes votes(List<Vote> votes) {
        List<Member> grantedBy = votes.stream().map(Vote::node).toList();
        return Votes.of(
                grantedBy.stream().map(Member::address).toList(),
                members.all.stream()
                        .filter(member -> !grantedBy.contains(member))
                        .map(Member::address)
                        .toList());
    }

    private static long standing(List<Vote> votes, Vote one) {
        return votes.stream().filter(other -> other.token == one.token).count();
    }

    // ---- list

    /** What a majority holds is on at least one of any majority of nodes. */
    CompletionStage<List<LockState>> list(String prefix, int limit) {
        // Votes that are being undone take places in a page, and are sorted out afterwards.
        int perNode = (int) Math.min(Integer.MAX_VALUE, 2L * limit + NAMES_PER_REQUEST);
        return Gather.all(
                        members,
                        member -> new Listing(member.node, quorum.keys, prefix, perNode)
                                .names()
                                .thenApply(names -> List.<Object>copyOf(names)),
                        gather -> gather.replies().size() >= members.majority ? gather.replies() : null)
                .thenCompose(pages -> {
                    TreeSet<String> names = new TreeSet<>();
                    pages.forEach(page -> page.forEach(name -> names.add(String.valueOf(name))));
                    return describeAll(List.copyOf(names), limit);
                });
    }

    private CompletionStage<List<LockState>> describeAll(List<String> names, int limit) {
        CompletionStage<List<LockState>> all = CompletableFuture.completedStage(new ArrayList<>());
        for (int from = 0; from < names.size(); from += NAMES_PER_REQUEST) {
            List<String> some = names.subList(from, Math.min(names.size(), from + NAMES_PER_REQUEST));
            all = all.thenCompose(states -> states.size() >= limit
                    ? CompletableFuture.completedStage(states)
                    : describe(some).thenApply(more -> {
                        states.addAll(more);
                        return states;
                    }));
        }
        return all.thenApply(states -> states.subList(0, Math.min(limit, states.size())));
    }

    // ---- break

    CompletionStage<Optional<LockState>> breakLock(String name, Owner owner) {
        return Gather.all(members, member -> quorum.breakVote(member, name, owner), gather -> {
            List<Vote> broken = new ArrayList<>();
            gather.forEach((node, reply) -> add(broken, Vote.parse(node, reply.get(3), Member.number(reply, 4))));
            if (broken.size() >= members.majority) {
                return Optional.ofNullable(state(name, owner.toString(), broken));
            }
            boolean confirmed = gather.replies().size() >= members.majority;
            boolean over = gather.pending() == 0
                    || members.size() - (gather.replies().size() - broken.size()) < members.majority;
            return confirmed && over ? Optional.empty() : null;
        });
    }
}
