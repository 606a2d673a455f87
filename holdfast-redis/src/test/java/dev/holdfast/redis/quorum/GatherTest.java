package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.RedisNode;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class GatherTest {
    private final List<CompletableFuture<String>> answers = new ArrayList<>();
    private final Members members = members();

    private Members members() {
        ManualTime time = new ManualTime();
        List<Member> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            FakeNode node = new FakeNode();
            node.identity = new RedisNode.Identity("run-" + i, "", "7.0.15", true);
            all.add(new Member(
                    i, FakeNode.LIST, node, time, Duration.ofMillis(100), member -> {}, (member, step) -> {}));
            answers.add(new CompletableFuture<>());
        }
        return new Members(all, FakeNode.LIST, time);
    }

    private CompletableFuture<Integer> firstTwo() {
        return Gather.<String, Integer>all(
                        members,
                        member -> answers.get(member.index),
                        gather -> gather.count(each -> true) >= 2
                                ? gather.replies().size()
                                : null)
                .toCompletableFuture();
    }

    @Test
    void whoeverWaitsIsToldWhileOtherAnswersCanCome() {
        // It was told under the lock that every answer needs: a slow caller held up the threads of all other nodes.
        CompletableFuture<Integer> decided = firstTwo();
        CompletableFuture<Void> told = decided.thenAccept(count -> {
            try {
                CompletableFuture.runAsync(() -> answers.get(2).complete("third"))
                        .get(60, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError("The third answer had to wait", e);
            }
        });
        answers.get(0).complete("first");
        answers.get(1).complete("second");
        assertThat(told).isCompleted();
        assertThat(decided).isCompletedWithValue(2);
    }

    @Test
    void aDecisionIsMadeOnce() {
        CompletableFuture<Integer> decided = firstTwo();
        answers.forEach(answer -> answer.complete("yes"));
        assertThat(decided).isCompletedWithValue(2);
    }

    @Test
    void withTooFewAnswersItFailsWithTheReasons() {
        CompletableFuture<Integer> decided = firstTwo();
        answers.get(0).complete("first");
        answers.subList(1, 5).forEach(answer -> answer.completeExceptionally(new IllegalStateException("gone")));
        assertThat(decided)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("4 of 5 nodes have no say");
    }

    @Test
    void whatGoesWrongInDecidingIsToldToo() {
        CompletableFuture<Integer> decided = Gather.<String, Integer>all(
                        members, member -> answers.get(member.index), gather -> {
                            throw new IllegalStateException("wrong");
                        })
                .toCompletableFuture();
        answers.get(3).complete("yes");
        assertThat(decided).isCompletedExceptionally();
    }
}
