package dev.holdfast.redis.quorum;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holder;
import dev.holdfast.LockState;
import dev.holdfast.Votes;
import dev.holdfast.redis.node.Errors;
import dev.holdfast.redis.node.Listing;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Who holds what, by the votes of all nodes that answer. */
final class QuorumView {
    private static final int NAMES_PER_REQUEST = 100;
    private static final int TRIES = 4;
    private static final Duration PAUSE = Duration.ofMillis(150);

    private static final Comparator<String> BY_KEY_AND_SLOT =
            Comparator.comparing(SlotNames::keyOf).thenComparingInt(SlotNames::slotOf);

    /** One node's vote. */
    private record Vote(
            Member node, String owner, long token, int tokens, long sinceMicros, Holder holder, long remainingMillis) {
        /** Null for what is not ours. */
        static @Nullable Vote parse(Member node, QuorumReplies.Stored stored) {
            // We never write a lock without an expiry: somebody took it off.
            if (stored.value() == null || stored.remainingMillis() < 0) {
                return null;
            }
            String[] fields = stored.value().split(" ", 7);
            Wire.Tail tail = fields.length < 7 ? null : Wire.Tail.parse(fields[6]);
            if (tail == null) {
                return null;
            }
            try {
                return new Vote(
                        node,
                        fields[0],
                        Long.parseLong(fields[2]),
                        Integer.parseInt(fields[3]),
                        Long.parseLong(fields[4]),
                        tail.holder(),
                        stored.remainingMillis());
            } catch (NumberFormatException notOurs) {
                return null;
            }
        }

        boolean isReservation() {
            return token == 0;
        }
    }

    /** Told of keys that hold what Holdfast did not write; may fail the answer of that node by throwing. */
    private interface Foreign {
        void found(Member node, String key);
    }

    private final Quorum quorum;
    private final Members members;
    private final Events events;

    QuorumView(Quorum quorum, Events events) {
        this.quorum = quorum;
        this.events = events;
        this.members = quorum.members;
    }

    // ---- describe

    /**
     * Whoever asks who holds a lock wants an answer and no vote in time: if a majority was too slow, it is asked again, a few
     * times. A refusal is an answer.
     */
    CompletionStage<List<LockState>> describe(String key) {
        // How many slots a semaphore has nobody knows: two clients may differ.
        return patiently(
                () -> SlotNames.isSemaphore(key) ? list(SlotNames.prefix(key), Integer.MAX_VALUE) : describeOnce(key),
                TRIES);
    }

    private CompletionStage<List<LockState>> patiently(Supplier<CompletionStage<List<LockState>>> ask, int tries) {
        CompletionStage<CompletionStage<List<LockState>>> asked = ask.get().handle((states, failure) -> {
            if (failure == null) {
                return CompletableFuture.completedFuture(states);
            }
            return tries == 1 || Member.unwrap(failure) instanceof RefusedException
                    ? CompletableFuture.failedFuture(Member.unwrap(failure))
                    : quorum.afterAPause(PAUSE).thenCompose(rested -> patiently(ask, tries - 1));
        });
        return asked.thenCompose(answer -> answer);
    }

    /** A node with something foreign under the lock's key has no say, as for a claim; a majority of them is the answer. */
    private CompletionStage<List<LockState>> describeOnce(String name) {
        return describe(List.of(name), (node, key) -> {
            throw new RefusedException(Errors.foreign(node.address(), key));
        });
    }

    /** Those of the names that a majority stands for, in the same order. */
    private CompletionStage<List<LockState>> describe(List<String> names, Foreign foreign) {
        String[] keys = new String[1 + names.size()];
        keys[0] = quorum.keys.admission();
        for (int i = 0; i < names.size(); i++) {
            keys[1 + i] = quorum.keys.lock(names.get(i));
        }
        return Gather.all(
                members,
                member -> member.call(Script.QUORUM_DESCRIBE, keys, "").thenApply(reply -> {
                    List<QuorumReplies.Stored> stored = QuorumReplies.Stored.described(reply);
                    for (int i = 0; i < names.size(); i++) {
                        if (stored.get(i).isPresent() && Vote.parse(member, stored.get(i)) == null) {
                            foreign.found(member, keys[1 + i]);
                        }
                    }
                    return stored;
                }),
                gather -> decide(names, gather));
    }

    private @Nullable List<LockState> decide(List<String> names, Gather<List<QuorumReplies.Stored>> gather) {
        int answered = gather.replies().size();
        // All that are healthy are heard, so that votes are counted and not only decided. One that hangs is not waited
        // for.
        if (answered < members.majority || gather.pending() > members.unhealthy()) {
            return null;
        }
        List<LockState> states = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            List<Vote> votes = new ArrayList<>();
            int at = i;
            gather.forEach((node, stored) -> add(votes, Vote.parse(node, stored.get(at))));
            int missing = members.size() - answered;
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
        if (vote != null && !vote.isReservation()) {
            votes.add(vote);
        }
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
            return LockState.builder(SlotNames.keyOf(name), Owner.parse(owner))
                    .slot(SlotNames.slotOf(name))
                    .holder(vote.holder)
                    .tokens(vote.token, vote.tokens)
                    .since(Instant.EPOCH.plus(vote.sinceMicros, ChronoUnit.MICROS))
                    .remaining(Duration.ofMillis(lasts))
                    .votes(votes(votes))
                    .build();
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

    /** What a majority holds is on at least one of any majority of nodes. Whoever cancels the stage ends the work. */
    CompletionStage<List<LockState>> list(String prefix, int limit) {
        // Votes that are being undone take places in a page, and are sorted out afterwards.
        int perNode = (int) Math.min(Integer.MAX_VALUE, 2L * limit + NAMES_PER_REQUEST);
        CompletableFuture<List<LockState>> result = new CompletableFuture<>();
        List<CompletableFuture<?>> scans = new ArrayList<>();
        CompletionStage<List<List<String>>> pages = Gather.all(
                members,
                member -> {
                    CompletableFuture<List<String>> names = new Listing(member.node, quorum.keys, prefix, perNode)
                            .names()
                            .toCompletableFuture();
                    scans.add(names);
                    return names;
                },
                gather -> gather.replies().size() >= members.majority ? gather.replies() : null);
        // From here on the list is only read. Nodes that are not needed any more are not scanned to their end.
        Runnable stop = () -> scans.forEach(scan -> scan.cancel(false));
        pages.whenComplete((found, failure) -> stop.run());
        var unused = result.whenComplete((states, failure) -> stop.run());
        pages.thenCompose(found -> {
                    TreeSet<String> names = new TreeSet<>(BY_KEY_AND_SLOT);
                    found.forEach(
                            some -> some.stream().filter(SlotNames::isPossible).forEach(names::add));
                    return describeAll(List.copyOf(names), limit, result);
                })
                .whenComplete((states, failure) -> {
                    if (failure == null) {
                        result.complete(states);
                    } else {
                        result.completeExceptionally(Member.unwrap(failure));
                    }
                });
        return result;
    }

    private CompletionStage<List<LockState>> describeAll(List<String> names, int limit, CompletableFuture<?> caller) {
        Set<String> foreign = new ConcurrentSkipListSet<>();
        CompletionStage<List<LockState>> all = CompletableFuture.completedStage(new ArrayList<>());
        for (int from = 0; from < names.size(); from += NAMES_PER_REQUEST) {
            List<String> some = names.subList(from, Math.min(names.size(), from + NAMES_PER_REQUEST));
            all = all.thenCompose(states -> states.size() >= limit || caller.isDone()
                    ? CompletableFuture.completedStage(states)
                    : describe(some, (node, key) -> foreign.add(key + " at " + node.address()))
                            .thenApply(more -> {
                                states.addAll(more);
                                return states;
                            }));
        }
        return all.thenApply(states -> {
            if (!foreign.isEmpty()) {
                events.notice(BackendNotice.warning(
                        "quorum",
                        Listing.foreign(foreign.size(), foreign.iterator().next())));
            }
            return states.subList(0, Math.min(limit, states.size()));
        });
    }

    // ---- break

    CompletionStage<Optional<LockState>> breakLock(String name, Owner owner) {
        return Gather.all(members, member -> quorum.breakVote(member, name, owner), gather -> {
            List<Vote> broken = new ArrayList<>();
            gather.forEach((node, reply) -> add(broken, Vote.parse(node, reply.broken())));
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
