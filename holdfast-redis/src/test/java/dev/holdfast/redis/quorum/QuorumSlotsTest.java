package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.Owner;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims for one of three slots at three nodes. Virtual time, the test is the servers and core. */
class QuorumSlotsTest {
    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final Duration A_LEASE = Duration.ofSeconds(30);
    private static final String KEY = LockKey.semaphore("exports").encoded();
    private static final Keys KEYS = Keys.standard().ofQuorum();
    private static final String SOMEBODY = "somebody 1 77";
    private static final int SLOTS = 3;

    private final ManualTime time = new ManualTime();
    private final List<FakeNode> nodes = FakeNode.three(time);
    private final List<String> hints = new ArrayList<>();
    private final Owner owner = Owner.random(time.random());
    private QuorumClient client;
    private FakeNode home;

    private final class Core implements Events {
        @Override
        public void granted(String key, Owner owner, Grant grant) {}

        @Override
        public void maybeFree(String key) {
            hints.add(key);
        }

        @Override
        public void lost(String key, Owner owner, String why) {}

        @Override
        public void recheckAll(String why) {}

        @Override
        public void notice(BackendNotice notice) {}
    }

    @BeforeEach
    void open() {
        client = new QuorumClient(
                nodes,
                ServerList.of(List.of("a:1", "b:2", "c:3")),
                KEYS,
                Duration.ofMillis(100),
                WINDOW,
                Duration.ofSeconds(60),
                time,
                new Core());
        client.open();
        nodes.forEach(node -> node.next(Script.QUORUM_MAXLEASE).answer(1L, node.micros(), 60_000L));
        home = nodes.get(client.quorum.members.all.stream()
                .max(Comparator.comparingLong(member -> Members.weight(KEY, member)))
                .orElseThrow()
                .index);
    }

    private CompletableFuture<Answer> ask() {
        Claim claim = Claim.of(KEY, owner, A_LEASE, 1, new Holder("here", 7, ""))
                .forAnyOf(SLOTS)
                .queuedSince(1);
        return client.claims.claim(claim).toCompletableFuture();
    }

    private void suggest(long slot) {
        home.next(Script.QUORUM_SUGGEST).answer(1L, home.micros(), slot, 0L, List.of());
    }

    private CompletableFuture<Answer> standsInLine() {
        CompletableFuture<Answer> answer = ask();
        home.next(Script.QUORUM_SUGGEST).answer(0L, home.micros(), 20_000L, 1L, "8 elsewhere ", 0L, List.of());
        return answer;
    }

    /** All nodes are asked for this slot; the first that the test names grant it, the others have given it to somebody. */
    private void vote(int slot, List<FakeNode> granting) {
        for (FakeNode node : nodes) {
            FakeNode.Request asked = node.next(Script.QUORUM_ACQUIRE);
            assertThat(asked.keys().get(0)).isEqualTo(lock(slot));
            assertThat(asked.keys().get(1)).isEqualTo(KEYS.queue(KEY));
            if (granting.contains(node)) {
                asked.answer(1L, node.micros(), 80L);
            } else {
                asked.answer(0L, node.micros(), 30_000L, 0L, "somebody", 77L, 77L, "8 elsewhere ");
            }
        }
    }

    private static String lock(int slot) {
        return KEYS.lock(SlotNames.of(KEY, slot));
    }

    private void turn(int slot) {
        home.listener.message(owner + " 5 " + SlotNames.of(KEY, slot));
    }

    /** By all nodes but the home, which has something else to say of each slot. */
    private void look(List<String> atHome, List<String> elsewhere, Object... place) {
        for (FakeNode node : nodes) {
            List<Object> reply = new ArrayList<>(List.of(1L, node.micros(), 60_000L, "record"));
            reply.addAll(node == home ? atHome : elsewhere);
            reply.addAll(node == home ? List.of(place) : List.of());
            node.next(Script.QUORUM_LOOK).answer(reply.toArray());
        }
    }

    private static int slotOf(CompletableFuture<Answer> answer) {
        assertThat(answer).isCompleted();
        return ((Answer.Granted) answer.join()).grant().slot();
    }

    private void requireGivenBack(int slot) {
        FakeNode.Request given = home.next(Script.QUORUM_WITHDRAW);
        assertThat(given.keys().get(0)).isEqualTo(lock(slot));
        assertThat(given.arguments()).contains(owner.toString()).endsWith("place");
    }

    @Test
    void aTurnForOneSlotDuringTheRoundForAnotherDoesNotMakeTwo() {
        // It is given back when the round has won; asked for beside it, both would be won.
        CompletableFuture<Answer> answer = ask();
        suggest(2);
        turn(0);
        assertThat(nodes).allSatisfy(node -> assertThat(node.requests).hasSize(1));
        vote(2, nodes);
        assertThat(slotOf(answer)).isEqualTo(2);
        requireGivenBack(0);
        assertThat(nodes).allSatisfy(node -> assertThat(node.requests).isEmpty());
    }

    @Test
    void whoHasASlotIsNotGivenAnotherWhateverItIsTold() {
        // Neither by a turn that comes late nor by its own question, sent again.
        CompletableFuture<Answer> answer = ask();
        suggest(1);
        vote(1, nodes);
        assertThat(slotOf(answer)).isEqualTo(1);
        turn(0);
        requireGivenBack(0);
        CompletableFuture<Answer> again = ask();
        for (FakeNode node : nodes) {
            FakeNode.Request renewal = node.next(Script.QUORUM_RENEW);
            assertThat(renewal.keys()).contains(lock(1));
            renewal.answer(1L, node.micros(), 1L);
        }
        assertThat(slotOf(again)).isEqualTo(1);
    }

    @Test
    void whereTheHomeIsWrongAnotherSlotIsTriedWhenTheFirstIsGivenUp() {
        // The home has restarted since, and knows nothing of the holder of slot 0.
        CompletableFuture<Answer> answer = ask();
        suggest(0);
        vote(0, List.of(home));
        assertThat(home.requests).extracting(FakeNode.Request::script).containsExactly(Script.QUORUM_UNDO);
        FakeNode.Request undo = home.next(Script.QUORUM_UNDO);
        assertThat(undo.keys().get(0)).isEqualTo(lock(0));
        undo.answer(1L, home.micros(), 1L, 0L);
        look(List.of("", "", SOMEBODY), List.of(SOMEBODY, "", SOMEBODY));
        vote(1, nodes);
        assertThat(slotOf(answer)).isEqualTo(1);
    }

    @Test
    void whoDoesNotGetASlotWaitsAndComesBackWhenTheFirstOfThemEnds() {
        assertThat(standsInLine())
                .isCompletedWithValueMatching(answer -> answer instanceof Answer.Busy busy
                        && busy.queued()
                        && busy.retryAfter().equals(Duration.ofMillis(20_001)));
    }

    @Test
    void whereTheOthersHaveNotAnsweredForAWhileTheyAreLookedAtAndTheHomeSaysWhenToComeBack() {
        // Home alone would say "busy" though a majority may be gone.
        time.advance(Duration.ofSeconds(1));
        CompletableFuture<Answer> answer = ask();
        home.next(Script.QUORUM_SUGGEST).answer(0L, home.micros(), 500L, 1L, "8 elsewhere ", 0L, List.of());
        look(List.of(SOMEBODY, SOMEBODY, SOMEBODY), List.of(SOMEBODY, SOMEBODY, SOMEBODY));
        assertThat(answer)
                .isCompletedWithValueMatching(said -> said instanceof Answer.Busy busy
                        && busy.queued()
                        && busy.retryAfter().equals(Duration.ofMillis(501)));
    }

    @Test
    void aVoteOfNobodyAtTheHomeKeepsNoSlotFromWhoWaits() {
        // The home takes slot 1 for taken. Asked again it would say so again: all nodes are asked for that slot.
        standsInLine();
        time.advance(WINDOW);
        look(List.of(SOMEBODY, SOMEBODY, SOMEBODY), List.of(SOMEBODY, "", SOMEBODY), 1L);
        assertThat(hints).containsExactly(KEY);
        CompletableFuture<Answer> answer = ask();
        vote(1, nodes.stream().filter(node -> node != home).toList());
        assertThat(slotOf(answer)).isEqualTo(1);
    }

    @Test
    void aSlotThatNobodyHasIsHandedOverToTheFirstInLine() {
        // Its holder died, or its release did not reach the home.
        standsInLine();
        time.advance(WINDOW);
        look(List.of(SOMEBODY, SOMEBODY, ""), List.of(SOMEBODY, SOMEBODY, ""), 1L);
        assertThat(home.next(Script.QUORUM_HANDOVER).keys().get(0)).isEqualTo(lock(2));
        assertThat(hints).isEmpty();
    }

    @Test
    void aSlotBeyondItsNumberIsNeverAskedFor() {
        // Whatever the home says: clients with more slots in their configuration wait under the same key.
        ask();
        suggest(SLOTS);
        nodes.forEach(node -> node.next(Script.QUORUM_LOOK));
    }
}
