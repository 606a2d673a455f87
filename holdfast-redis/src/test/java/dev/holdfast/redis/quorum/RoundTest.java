package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holder;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.redis.testing.Reports;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** How a round ends that cannot be won: is it busy, or is nobody there to say so? Virtual time, the test is the servers. */
class RoundTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration A_LEASE = Duration.ofSeconds(30);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Duration LONG = Duration.ofSeconds(1);

    private final ManualTime time = new ManualTime();
    private final List<FakeNode> nodes = new ArrayList<>();
    private final List<FakeNode.Request> asked = new ArrayList<>();
    private CompletableFuture<Round.Outcome> outcome = new CompletableFuture<>();

    private Round round(Consumer<Member> before) {
        List<Member> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            FakeNode node = new FakeNode();
            node.environment = time;
            nodes.add(node);
            all.add(new Member(i, FakeNode.LIST, node, time, TIMEOUT, refused -> {}, (stepped, step) -> {}));
        }
        all.forEach(before);
        Quorum quorum = new Quorum(
                new Members(all, FakeNode.LIST, time),
                time,
                Keys.standard().ofQuorum(),
                TIMEOUT,
                Duration.ofSeconds(2),
                Duration.ofSeconds(60),
                new Places(new Reports()));
        Claim claim = Claim.of("a", Owner.random(time.random()), A_LEASE, 1, new Holder("here", 7, ""));
        return new Round(quorum, claim, claim.key());
    }

    private void ask(Consumer<Member> before) {
        outcome = round(before).everywhere(null).toCompletableFuture();
    }

    private void ask() {
        ask(member -> {});
        nodes.forEach(node -> asked.add(node.next(Script.QUORUM_ACQUIRE)));
        time.advance(MOMENT);
    }

    private void busy(int node) {
        asked.get(node)
                .answer(0L, nodes.get(node).micros(), A_LEASE.toMillis(), 0L, "somebody", 77L, 77L, "8 elsewhere ");
    }

    private void grants(int node) {
        asked.get(node).answer(1L, nodes.get(node).micros(), 80L);
    }

    private void isDown(int node) {
        asked.get(node).answer().completeExceptionally(new NotSentException("no connection", null));
    }

    private void staysSilent(int node) {
        asked.get(node).answer().completeExceptionally(new TimeoutException("no answer"));
    }

    /** It cannot be won any more; but whether it is busy, or nobody is there to say so, the last one decides. */
    private void allButOneSpeak() {
        isDown(0);
        busy(1);
        isDown(2);
        grants(3);
        time.advance(LONG);
    }

    private Round.Outcome.Lost lost() {
        return (Round.Outcome.Lost) outcome.join();
    }

    @Test
    void nobodyCallsItBusyBeforeAMajorityHasSpoken() {
        // Two are down, one hangs, one is reserved for somebody. It cannot be won; but three without a say is another
        // answer than busy, and only the one that hangs decides which.
        ask();
        allButOneSpeak();
        assertThat(outcome).isNotDone();
        staysSilent(4);
        assertThat(lost().failures()).hasSize(3);
    }

    @Test
    void aSlowAnswerMakesItBusy() {
        ask();
        allButOneSpeak();
        busy(4);
        assertThat(lost().failures()).hasSize(2);
        assertThat(lost().sightings()).hasSize(2);
    }

    @Test
    void onceTooManyAreDownTheRestGetOnlyAsLongAgain() {
        // What they say may still make a difference: whether it is of use to try again.
        ask();
        isDown(0);
        isDown(1);
        isDown(2);
        assertThat(outcome).isNotDone();
        time.advance(MOMENT);
        assertThat(lost().failures()).hasSize(3);
    }

    @Test
    void aMajorityThatIsBusyWaitsForTheRestOnlyAsLongAsItTook() {
        ask();
        busy(0);
        busy(1);
        busy(2);
        assertThat(outcome).isNotDone();
        time.advance(MOMENT);
        assertThat(lost().sightings()).hasSize(3);
    }

    @Test
    void whatIsLostBeforeAllAreAskedIsUndoneAfterThat() {
        // The third failure decides it on the spot. An undo that came before its claim would leave the vote where it
        // is.
        ask(member -> member.stopAsking(member.index < 3 ? "its clock was set" : ""));
        for (FakeNode node : nodes.subList(3, 5)) {
            node.next(Script.QUORUM_ACQUIRE);
            node.next(Script.QUORUM_UNDO);
        }
        time.advance(MOMENT);
        assertThat(lost().failures()).hasSize(3);
    }

    @Test
    void nobodyHearsOfAVictoryBeforeAllAreAsked() {
        // Three have answered before the fourth is asked. A release now would come before the claim that it ends: the
        // vote would stay.
        List<Integer> askedByThen = new ArrayList<>();
        Round round = round(member -> nodes.get(member.index).ready = List.of(1L, 1L, 80L));
        nodes.get(4).ready = List.of();
        round.outcome.thenRun(() -> askedByThen.add(
                nodes.stream().mapToInt(node -> node.requests.size()).sum()));
        round.everywhere(null);
        assertThat(askedByThen).containsExactly(5);
    }

    @Test
    void whereAMinorityIsDownTheOthersMakeItBusyHoweverSoonTheyAnswer() {
        // Two fail at once, and it is lost with the first that is busy, maybe before the last is asked.
        Round round = round(member -> member.stopAsking(member.index < 2 ? "its clock was set" : ""));
        nodes.forEach(node -> node.ready = List.of(0L, 1L, 30_000L, 0L, "somebody", 77L, 77L, "8 elsewhere "));
        outcome = round.everywhere(null).toCompletableFuture();
        assertThat(lost().sightings()).hasSize(3);
    }
}
