package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.BackendNotice;
import dev.holdfast.Holder;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.testing.FakeNode;
import dev.holdfast.spi.Answer;
import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Events;
import dev.holdfast.spi.Grant;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.Owner;
import dev.holdfast.spi.RefusedException;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims that stand in line at one of three nodes. Virtual time, the test is the servers and core. */
class QuorumWaitingTest {
    private static final Duration WINDOW = Duration.ofSeconds(2);
    private static final Duration TIMEOUT = Duration.ofMillis(100);
    private static final Duration A_LEASE = Duration.ofSeconds(30);
    private static final String NAME = "a";
    private static final String SOMEBODY = "somebody";

    private final ManualTime time = new ManualTime();
    private final List<FakeNode> nodes = FakeNode.three(time);
    private final List<String> hints = new ArrayList<>();
    private Runnable onHint = () -> {};
    private QuorumClient client;

    /** Core, that only listens. */
    private final class Core implements Events {
        @Override
        public void granted(String name, Owner owner, Grant grant) {}

        @Override
        public void maybeFree(String name) {
            hints.add(name);
            onHint.run();
        }

        @Override
        public void lost(String name, Owner owner, String why) {}

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
                Keys.standard().ofQuorum(),
                TIMEOUT,
                WINDOW,
                Duration.ofSeconds(60),
                time,
                new Core());
        client.open();
        answerAll(Script.QUORUM_MAXLEASE, 60_000L);
    }

    private void answerAll(Script script, Object... behindTheTime) {
        for (FakeNode node : nodes) {
            answer(node, node.next(script), behindTheTime);
        }
    }

    private static void answer(FakeNode node, FakeNode.Request request, Object... behindTheTime) {
        List<Object> reply = new ArrayList<>(List.of(1L, node.micros()));
        reply.addAll(Arrays.asList(behindTheTime));
        request.answer().complete(reply);
    }

    /** Where who waits for this name stands. */
    private FakeNode home(String name) {
        return nodes.get(client.quorum.members.all.stream()
                .max(Comparator.comparingLong(member -> Members.weight(name, member)))
                .orElseThrow()
                .index);
    }

    private static Claim claim(String name, Owner owner) {
        return Claim.of(name, owner, A_LEASE, 1, new Holder("here", 7, "")).queuedSince(1);
    }

    private Owner owner() {
        return Owner.random(time.random());
    }

    private static void busy(FakeNode node, FakeNode.Request asked, long place) {
        asked.answer(0L, node.micros(), A_LEASE.toMillis(), place, SOMEBODY, 77L, 77L, "8 elsewhere ");
    }

    /** A claim that was told: held for a lease, and that it stands in line. */
    private Owner queued(String name) {
        Owner owner = owner();
        CompletableFuture<Answer> answer =
                client.claims.claim(claim(name, owner)).toCompletableFuture();
        FakeNode home = home(name);
        busy(home, home.next(Script.QUORUM_ACQUIRE), 1);
        for (FakeNode node : nodes) {
            if (node != home && !node.requests.isEmpty()) {
                busy(node, node.next(Script.QUORUM_ACQUIRE), 0);
            }
        }
        time.advance(Duration.ofMillis(1));
        assertThat(answer.join())
                .isInstanceOfSatisfying(
                        Answer.Busy.class, busy -> assertThat(busy.queued()).isTrue());
        confirmUndos();
        return owner;
    }

    /** Whoever answers after the round is lost is asked to take its vote back, at once and once more. */
    private void confirmUndos() {
        for (int i = 0; i < 2; i++) {
            for (FakeNode node : nodes) {
                node.requests.removeIf(request -> {
                    boolean undo = request.script() == Script.QUORUM_UNDO;
                    if (undo) {
                        answer(node, request, 0L, 0L);
                    }
                    return undo;
                });
            }
            time.advance(TIMEOUT.multipliedBy(2));
        }
    }

    // ---- a claim that ends

    private Throwable failure(Exception down) {
        Owner owner = owner();
        var answer = client.claims.claim(claim(NAME, owner)).toCompletableFuture();
        for (FakeNode node : nodes) {
            FakeNode.Request asked = node.next(Script.QUORUM_ACQUIRE);
            if (node == home(NAME)) {
                busy(node, asked, 1);
            } else {
                asked.answer().completeExceptionally(down);
            }
        }
        time.advance(Duration.ofMillis(2));
        confirmUndos();
        assertThat(client.quorum.places.has(owner)).isFalse();
        return catchThrowable(answer::join).getCause();
    }

    @Test
    void whoFailsWhileItStandsInLineHasProvedNothing() {
        // Two of three are down, the third is the home and has queued the claim. That nothing was sent to the others
        // was
        // told as a proof: nobody withdrew, and the place stayed. After an outage the names that nobody held were busy
        // for
        // minutes, held by the process that asked for them.
        assertThat(failure(new NotSentException("no connection", null))).isInstanceOf(TimeoutException.class);
    }

    @Test
    void homeAloneIsAskedOnlyWhileTheOthersAreKnownToAnswer() {
        // The name was busy a moment ago, and a majority was stopped since. Home is alive and was asked alone: the
        // caller
        // was told "busy" of a lock that nobody could get.
        queued(NAME);
        time.advance(Duration.ofSeconds(2));
        nodes.forEach(node -> node.requests.clear());

        var unused = client.claims.claim(claim(NAME, owner()));

        assertThat(nodes)
                .allSatisfy(node -> assertThat(node.requests)
                        .extracting(FakeNode.Request::script)
                        .contains(Script.QUORUM_ACQUIRE));
    }

    @Test
    void homeAloneIsAskedWhereABusyNameHasJustBeenAskedForEverywhere() {
        queued(NAME);

        var unused = client.claims.claim(claim(NAME, owner()));

        assertThat(nodes.stream()
                        .filter(node ->
                                node.requests.stream().anyMatch(request -> request.script() == Script.QUORUM_ACQUIRE)))
                .containsExactly(home(NAME));
    }

    @Test
    void whoIsRefusedWhileItStandsInLineGivesItsPlaceUp() {
        // A refusal ends the claim, and core has nothing to withdraw. The place is given up where it may be.
        assertThat(failure(new RefusedException("NOPERM"))).isInstanceOf(RefusedException.class);
        FakeNode home = home(NAME);
        assertThat(home.next(Script.QUORUM_WITHDRAW).arguments()).endsWith("place");
    }

    @Test
    void whoWinsWithoutItsHomeLeavesItsPlaceThere() {
        // Otherwise its turn comes when nobody waits for it.
        Owner owner = owner();
        var answer = client.claims.claim(claim(NAME, owner)).toCompletableFuture();
        FakeNode home = home(NAME);
        busy(home, home.next(Script.QUORUM_ACQUIRE), 1);
        for (FakeNode node : nodes) {
            if (node != home) {
                node.next(Script.QUORUM_ACQUIRE).answer(1L, node.micros(), 80L);
            }
        }
        assertThat(answer.join()).isInstanceOf(Answer.Granted.class);
        assertThat(home.next(Script.QUORUM_WITHDRAW).arguments())
                .contains(owner.toString())
                .endsWith("place");
    }

    // ---- turns

    @Test
    void aTurnThatNobodyTakesIsGivenBackAndNoVoteIsTouched() {
        // The claim was given up and its place is known all the same, or it was never ours: what is kept for it would
        // keep
        // the others waiting for a claim window. It used to be withdrawn with its vote, which may be somebody's who
        // holds.
        Owner forgotten = queued(NAME);
        home(NAME).listener.message(forgotten + " 5 " + NAME);
        home(NAME).listener.message(owner() + " 5 " + NAME);
        assertThat(home(NAME).next(Script.QUORUM_WITHDRAW).arguments())
                .contains(forgotten.toString())
                .endsWith("place");
        assertThat(home(NAME).next(Script.QUORUM_WITHDRAW).arguments()).endsWith("place");
    }

    @Test
    void aTurnDuringTheQuestionIsNotGivenBack() {
        Owner owner = owner();
        client.claims.claim(claim(NAME, owner));
        home(NAME).listener.message(owner + " 5 " + NAME);
        assertThat(hints).containsExactly(NAME);
        home(NAME).next(Script.QUORUM_ACQUIRE);
        assertThat(home(NAME).requests).isEmpty();
    }

    @Test
    void whoseTurnItIsDoesNotBelieveInTheHolderThatHasJustLetGo() {
        // Its release has reached the home and not yet the others. Nobody would tell the waiter again: it slept for a
        // claim
        // window.
        Owner owner = queued(NAME);
        FakeNode home = home(NAME);
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        onHint = () -> answers.add(client.claims.claim(claim(NAME, owner)).toCompletableFuture());
        home.listener.message(owner + " 5 " + NAME);
        home.next(Script.QUORUM_ACQUIRE).answer(1L, home.micros(), 80L);
        for (FakeNode node : nodes) {
            if (node != home) {
                busy(node, node.next(Script.QUORUM_ACQUIRE), 0);
            }
        }
        answer(home, home.next(Script.QUORUM_UNDO), 1L, 0L);
        time.advance(Duration.ofMillis(1));
        assertThat(answers.get(0).join()).isInstanceOfSatisfying(Answer.Busy.class, busy -> {
            assertThat(busy.queued()).isTrue();
            assertThat(busy.retryAfter()).isLessThan(Duration.ofMillis(200));
        });
    }

    // ---- looking again

    private Map<FakeNode, FakeNode.Request> lookedAfterAWindow() {
        time.advance(WINDOW);
        Map<FakeNode, FakeNode.Request> looks = new HashMap<>();
        nodes.forEach(node -> looks.put(node, node.next(Script.QUORUM_LOOK)));
        return looks;
    }

    /** Of one name; the place is said by its home alone. */
    private void seen(String atHome, long place, String elsewhere) {
        Map<FakeNode, FakeNode.Request> looks = lookedAfterAWindow();
        nodes.forEach(node -> {
            if (node == home(NAME)) {
                answer(node, looks.get(node), 60_000L, "record", atHome, place);
            } else {
                answer(node, looks.get(node), 60_000L, "record", elsewhere);
            }
        });
    }

    @Test
    void aWaiterFindsOutWithinAClaimWindowThatTheReleaseDidNotReachItsHome() {
        // The holder has let go at a majority, and lost sight of the home. The waiter slept for the rest of the lease.
        queued(NAME);
        seen(SOMEBODY + " 1 77", 1, "");
        assertThat(hints).containsExactly(NAME);
    }

    @Test
    void aLockThatIsHeldIsLeftAlone() {
        queued(NAME);
        seen(SOMEBODY + " 1 77", 1, SOMEBODY + " 1 77");
        // Home has no vote, and the others are enough.
        seen("", 1, SOMEBODY + " 1 77");
        // Somebody else is next.
        seen("another 0 0", 1, "");
        assertThat(hints).isEmpty();
        nodes.forEach(node -> assertThat(node.requests).isEmpty());
    }

    @Test
    void nodesThatDoNotAnswerMayBeTheRestOfAMajority() {
        queued(NAME);
        Map<FakeNode, FakeNode.Request> looks = lookedAfterAWindow();
        nodes.forEach(node -> {
            if (node == home(NAME)) {
                answer(node, looks.get(node), 60_000L, "record", SOMEBODY + " 1 77", 1L);
            } else {
                looks.get(node).answer().completeExceptionally(new TimeoutException("no answer"));
            }
        });
        assertThat(hints).isEmpty();
    }

    @Test
    void whereNobodyHasTheLockTheFirstInLineIsTold() {
        // Whoever looked after the reservation is gone, and so is who it was for.
        queued(NAME);
        seen("", 2, "");
        assertThat(hints).isEmpty();
        home(NAME).next(Script.QUORUM_HANDOVER);
    }

    @Test
    void whoHasLostItsPlaceAsksAgainAndAnInboxThatHeardNothingIsReplaced() {
        // A turn that was not heard, or a queue that was deleted. The second time it is the inbox.
        queued(NAME);
        seen(SOMEBODY + " 1 77", 0, SOMEBODY + " 1 77");
        assertThat(hints).containsExactly(NAME);
        assertThat(home(NAME).inboxesReplaced).isZero();
        queued(NAME);
        seen("", 0, "");
        assertThat(hints).hasSize(2);
        assertThat(home(NAME).inboxesReplaced).isOne();
    }

    @Test
    void oneRequestToEachNodeIsEnoughForAllThatWait() {
        List<String> names = List.of("a", "b", "c", "d");
        names.forEach(this::queued);
        Map<FakeNode, FakeNode.Request> looks = lookedAfterAWindow();
        nodes.forEach(node -> {
            assertThat(node.requests).isEmpty();
            long atHome = names.stream().filter(name -> home(name) == node).count();
            assertThat(looks.get(node).arguments()).hasSize(1 + (int) atHome);
        });
    }

    @Test
    void whereNobodyWaitsNobodyLooks() {
        Owner owner = queued(NAME);
        client.claims.forget(owner);
        time.advance(WINDOW.multipliedBy(3));
        nodes.forEach(node -> assertThat(node.requests).isEmpty());
    }

    // ---- what is to be taken back

    @Test
    void aNodeThatComesBackIsFreedAtOnce() {
        // The next attempt would come after seconds.
        client.tenures.withdraw(NAME, owner(), 1);
        for (int i = 0; i < 8; i++) {
            nodes.forEach(node -> {
                FakeNode.Request request = node.requests.poll();
                if (request != null) {
                    request.answer().completeExceptionally(new NotSentException("no connection", null));
                }
            });
            time.advance(Duration.ofSeconds(4));
        }
        FakeNode node = nodes.get(0);
        node.requests.forEach(
                request -> request.answer().completeExceptionally(new NotSentException("no connection", null)));
        node.requests.clear();
        node.listener.reconnected();
        assertThat(node.requests).extracting(FakeNode.Request::script).contains(Script.QUORUM_WITHDRAW);
    }

    @Test
    void everyConnectionOfAnInboxHasAChannelOfItsOwn() {
        // There used to be one for all connections, drawn once: two copies of one memory heard each other's turns, and
        // the
        // one that did not know the owner took the other out of the line.
        FakeNode home = home(NAME);
        Owner owner = owner();
        CompletableFuture<Answer> waiting =
                client.claims.claim(claim(NAME, owner)).toCompletableFuture();
        List<String> channels = new ArrayList<>();
        FakeNode.Request first = home.next(Script.QUORUM_ACQUIRE);
        channels.add(channel(first));
        busy(home, first, 1);
        nodes.stream().filter(node -> node != home).forEach(node -> busy(node, node.next(Script.QUORUM_ACQUIRE), 0));
        time.advance(Duration.ofMillis(1));
        assertThat(waiting).isCompleted();
        confirmUndos();
        home.subscribe();
        assertThat(hints).containsExactly(NAME);
        client.claims.claim(claim(NAME, owner));
        channels.add(channel(home.next(Script.QUORUM_ACQUIRE)));
        assertThat(channels)
                .doesNotHaveDuplicates()
                .allSatisfy(channel -> assertThat(channel).startsWith("holdfast:"));
        // What is looked for in the queue is what was put there.
        assertThat(client.quorum.places.all())
                .singleElement()
                .satisfies(place -> assertThat(place.entry()).startsWith(owner + " " + channels.get(1) + " "));
    }

    /** In the entry with which the claim is queued. */
    private static String channel(FakeNode.Request acquire) {
        return acquire.arguments().get(8).split(" ", 3)[1];
    }
}
