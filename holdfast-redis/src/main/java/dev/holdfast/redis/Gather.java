package dev.holdfast.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The same question to all nodes, and the answers so far. */
final class Gather {
    final Members members;
    private final List<@Nullable List<Object>> replies = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>();
    private int answered;
    // Guards the answers while a decision is made.
    private final ReentrantLock lock = new ReentrantLock();

    private Gather(Members members) {
        this.members = members;
        members.all.forEach(member -> replies.add(null));
    }

    /** @param decide called after each answer; null means that more are needed. Not asked again once all have come */
    static <T> CompletionStage<T> all(
            Members members,
            Function<Member, CompletionStage<List<Object>>> ask,
            Function<Gather, @Nullable T> decide) {
        Gather gather = new Gather(members);
        CompletableFuture<T> decision = new CompletableFuture<>();
        for (Member member : members.all) {
            ask.apply(member).whenComplete((reply, failure) -> {
                gather.lock.lock();
                try {
                    gather.note(member, reply, failure);
                    if (decision.isDone()) {
                        return;
                    }
                    T decided = decide.apply(gather);
                    if (decided != null) {
                        decision.complete(decided);
                    } else if (gather.pending() == 0) {
                        decision.completeExceptionally(members.unavailable(gather.failures));
                    }
                } catch (RuntimeException bug) {
                    decision.completeExceptionally(bug);
                } finally {
                    gather.lock.unlock();
                }
            });
        }
        return decision;
    }

    private void note(Member member, @Nullable List<Object> reply, @Nullable Throwable failure) {
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
    List<List<Object>> replies() {
        List<List<Object>> all = new ArrayList<>(replies.size());
        for (List<Object> reply : replies) {
            if (reply != null) {
                all.add(reply);
            }
        }
        return all;
    }

    /** Each node that has answered, with its answer. */
    void forEach(BiConsumer<Member, List<Object>> action) {
        for (Member member : members.all) {
            List<Object> reply = replies.get(member.index);
            if (reply != null) {
                action.accept(member, reply);
            }
        }
    }

    /** How many nodes answered with this code. */
    int coded(int code) {
        int count = 0;
        for (List<Object> reply : replies) {
            count += reply != null && Member.number(reply, 0) == code ? 1 : 0;
        }
        return count;
    }

    List<Throwable> failures() {
        return failures;
    }

    /** Why there is no answer that counts. */
    Exception unavailable() {
        return members.unavailable(failures);
    }
}
