package dev.holdfast.redis.quorum;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Tells the nodes how long a lock may be taken: one that has forgotten everything does not vote for that long. */
final class MaxLeaseRecord {
    private final Members members;
    private final Environment environment;
    private final Keys keys;
    private final Duration maxLease;
    private volatile @Nullable CompletableFuture<Boolean> announced;

    MaxLeaseRecord(Members members, Environment environment, Keys keys, Duration maxLease) {
        this.members = members;
        this.environment = environment;
        this.keys = keys;
        this.maxLease = maxLease;
    }

    /** A node did not know: a majority has to be told before the next lease is asked for. */
    void announceAgain() {
        announced = null;
    }

    CompletionStage<List<Object>> raise(Member member) {
        return raise(member, maxLease.toMillis());
    }

    CompletionStage<List<Object>> raise(Member member, long millis) {
        return member.call(Script.QUORUM_MAXLEASE, new String[] {keys.admission()}, "", Long.toString(millis));
    }

    /**
     * Before a lock is kept for longer than any lease, a majority has to know, as for a lease: else a node that forgets it would
     * vote again too early.
     */
    CompletionStage<Boolean> announce(Duration keep) {
        if (keep.compareTo(maxLease) <= 0) {
            return announce();
        }
        long millis = longestWith(Wire.millisRoundedUp(keep));
        return Gather.all(
                members,
                member -> raise(member, millis),
                gather -> gather.replies().size() >= members.majority ? Boolean.TRUE : null);
    }

    /** What is left of a minimum is a little different every time; the record of a node need not be. */
    long longestWith(long keepMillis) {
        long maxMillis = maxLease.toMillis();
        return (keepMillis + maxMillis - 1) / maxMillis * maxMillis;
    }

    /**
     * Before the first lease is asked for, a majority has to know how long leases may be: whoever readmits a node learns it
     * from a majority of the others, and must not let it vote before a lease of ours is over. Asked once, and again only
     * after a failure.
     */
    CompletionStage<Boolean> announce() {
        CompletableFuture<Boolean> known = announced;
        if (known != null && !known.isCompletedExceptionally()) {
            return known;
        }
        CompletableFuture<Boolean> fresh = new CompletableFuture<>();
        long asked = environment.nanoTime();
        List<CompletableFuture<?>> answers = new ArrayList<>();
        Gather.all(
                        members,
                        member -> {
                            CompletionStage<List<Object>> answer = raise(member);
                            answers.add(answer.toCompletableFuture());
                            return answer;
                        },
                        gather -> gather.replies().size() >= members.majority ? Boolean.TRUE : null)
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        fresh.completeExceptionally(Member.unwrap(failure));
                        return;
                    }
                    // The answers also bring the time, without which a node gives no vote: the others get as long
                    // again.
                    var unused = CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                            .whenComplete((all, some) -> fresh.complete(true));
                    environment.schedule(environment.nanoTime() - asked, () -> fresh.complete(true));
                });
        // Racy, and benign: two claims may both ask.
        announced = fresh;
        return fresh;
    }
}
