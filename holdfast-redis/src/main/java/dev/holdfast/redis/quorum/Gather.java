package dev.holdfast.redis.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The same question to all nodes, and the answers so far. Not changed any more once it is decided. */
final class Gather<R> {
    final Members members;
    // Guards everything below. Decided under it; whoever waits is told after it is free.
    private final ReentrantLock lock = new ReentrantLock();
    private final List<@Nullable R> replies = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private int answered;
    private boolean decided;

    private Gather(Members members) {
        this.members = members;
        members.all.forEach(member -> replies.add(null));
    }

    /**
     * Asks every node.
     *
     * @param decide called after each answer, one call at a time; null means that more are needed. Not asked again once all
     *     have come
     */
    static <R, T> CompletionStage<T> all(
            Members members, Function<Member, CompletionStage<R>> ask, Function<Gather<R>, @Nullable T> decide) {
        Gather<R> gather = new Gather<>(members);
        CompletableFuture<T> decision = new CompletableFuture<>();
        for (Member member : members.all) {
            ask.apply(member).whenComplete((reply, failure) -> gather.heard(member, reply, failure, decide, decision));
        }
        return decision;
    }

    private <T> void heard(
            Member member,
            @Nullable R reply,
            @Nullable Throwable failure,
            Function<Gather<R>, @Nullable T> decide,
            CompletableFuture<T> decision) {
        T result = null;
        Throwable problem = null;
        lock.lock();
        try {
            if (decided) {
                return;
            }
            note(member, reply, failure);
            result = decide.apply(this);
            if (result == null && pending() == 0) {
                problem = unavailable();
            }
        } catch (RuntimeException | Error e) {
            problem = e;
        } finally {
            decided |= result != null || problem != null;
            lock.unlock();
        }
        if (problem != null) {
            decision.completeExceptionally(problem);
        } else if (result != null) {
            decision.complete(result);
        }
    }

    private void note(Member member, @Nullable R reply, @Nullable Throwable failure) {
        if (failure == null) {
            replies.set(member.index, Objects.requireNonNull(reply));
            answered++;
        } else {
            failures.add(Member.unwrap(failure));
        }
    }

    int pending() {
        return members.size() - failures.size() - answered;
    }

    /** Of the nodes that have answered. */
    List<R> replies() {
        List<R> all = new ArrayList<>(replies.size());
        forEach((member, reply) -> all.add(reply));
        return all;
    }

    /** Each node that has answered, with its answer. */
    void forEach(BiConsumer<Member, R> action) {
        for (Member member : members.all) {
            R reply = replies.get(member.index);
            if (reply != null) {
                action.accept(member, reply);
            }
        }
    }

    /** How many nodes gave such an answer. */
    int count(Predicate<R> kind) {
        int count = 0;
        for (R reply : replies) {
            count += reply != null && kind.test(reply) ? 1 : 0;
        }
        return count;
    }

    /** Why there is no answer that counts. */
    Exception unavailable() {
        return members.unavailable(failures);
    }
}
