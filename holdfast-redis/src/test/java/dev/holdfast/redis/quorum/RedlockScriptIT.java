package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Resp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One node of a quorum, step by step: what late and repeated requests may do to it. */
@Timeout(240)
class RedlockScriptIT {
    private static final Keys KEYS = Keys.standard().ofQuorum();
    private static final String NAME = "voted";
    private static final String SERVER = "5:run:data";
    private static final String NEVER = "9000000000000000";

    private static final String TAIL = "x - 1 host me";

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @BeforeEach
    void empty() {
        redis.call("FLUSHALL");
        redis.call("SET", KEYS.admission(), "admitted " + SERVER + " 60000");
    }

    @SuppressWarnings("unchecked")
    private static List<Object> run(Script script, String[] keys, String... arguments) {
        List<String> command = new ArrayList<>(List.of("EVAL", script.source(), Integer.toString(keys.length)));
        command.addAll(List.of(keys));
        command.add("admitted " + SERVER + " ");
        command.addAll(List.of(arguments));
        Object reply = redis.call(command.toArray(String[]::new));
        return reply instanceof List<?> list ? (List<Object>) list : Wire.numbers(List.of(reply));
    }

    private static List<Object> run(Script script, String... arguments) {
        return run(script, KEYS.ofQuorum(NAME), arguments);
    }

    private static List<?> acquire(String owner, int round, long proposal) {
        return run(Script.QUORUM_ACQUIRE, owner, "" + round, "30000", "1", TAIL, NEVER, Long.toString(proposal), "");
    }

    private static void undo(String owner, int round) {
        undo(owner, round, "", NEVER);
    }

    private static List<Object> undo(String owner, int round, String entry, String notAfter) {
        return run(Script.QUORUM_UNDO, owner, "" + round, "30000", entry, notAfter, "60000");
    }

    @SuppressWarnings("unchecked")
    private static List<Object> queue() {
        return (List<Object>) redis.call("LRANGE", KEYS.queue(NAME), "0", "-1");
    }

    private static Object raise(String owner, int round, long answered, long token) {
        return run(Script.QUORUM_RAISE, owner, "" + round, Long.toString(answered), Long.toString(token))
                .get(0);
    }

    private static Object renew(String owner, long token, int round) {
        String[] keys = {KEYS.admission(), KEYS.lock(NAME)};
        return run(Script.QUORUM_RENEW, keys, owner, Long.toString(token), "30000", "" + round)
                .get(2);
    }

    private static String vote() {
        return redis.text("GET", KEYS.lock(NAME));
    }

    @Test
    void aLateUndoDoesNotTakeTheNextRoundOfTheSameOwner() {
        // Round 1 is given up, round 2 finds its own vote and takes it over, then the undo of round 1 arrives.
        acquire("a", 1, 100);
        assertThat(acquire("a", 2, 200).get(2)).isEqualTo(100L);
        undo("a", 1);
        assertThat(vote()).startsWith("a 2 100 ");
        undo("a", 2);
        assertThat(vote()).isEqualTo("null");
    }

    @Test
    void aVoteOfAnEarlierRoundThatWasRenewedIsNotTakenByItsUndo() {
        // The acquire of round 1 came late and was granted. Round 2 won elsewhere, with the same token, and is renewed
        // here.
        acquire("a", 1, 100);
        assertThat(renew("a", 100, 2)).isEqualTo(1L);
        undo("a", 1);
        assertThat(vote()).startsWith("a 2 100 ");
    }

    @Test
    void aReleaseThatMeetsARivalsRoundLeavesItsUndoToTellTheNext() {
        // The vote of a round that fails stood in the way of the release. The undo told nobody, so that everybody in
        // line
        // slept for a claim window, now and then.
        acquire("rival", 1, 100);
        redis.call("RPUSH", KEYS.queue(NAME), "gone nobody 30000 x since=5 1 host me");
        assertThat(run(Script.QUORUM_RELEASE, "holder", "60000").get(0)).isEqualTo(0L);
        assertThat(run(Script.QUORUM_RELEASE, "holder", "60000").get(0)).isEqualTo(0L);
        assertThat(queue()).containsExactly("gone nobody 30000 x since=5 1 host me", "missed");
        undo("rival", 1);
        // Whoever was first could not be told, and is dropped.
        assertThat(queue()).isEmpty();
    }

    @Test
    void whatARivalStoodInTheWayOfDoesNotStayForEver() {
        acquire("rival", 1, 100);
        run(Script.QUORUM_RELEASE, "holder", "60000");
        assertThat((Long) redis.call("PTTL", KEYS.queue(NAME))).isBetween(1L, 60_000L);
    }

    @Test
    void anUndoThatCostNobodyAnythingTellsNobody() {
        // Otherwise every failed round would wake the next one into another.
        acquire("rival", 1, 100);
        redis.call("RPUSH", KEYS.queue(NAME), "next nobody 30000 x since=5 1 host me");
        undo("rival", 1);
        assertThat(queue()).containsExactly("next nobody 30000 x since=5 1 host me");
    }

    @Test
    void anUndoThatArrivesAfterItsTimeTakesTheVoteBackAndDoesNotQueue() {
        // Nobody may be waiting any more.
        acquire("a", 1, 100);
        assertThat(undo("a", 1, "a inbox 30000 x since=5 1 host me", "1").get(2))
                .isEqualTo(0L);
        assertThat(vote()).isEqualTo("null");
        assertThat(queue()).isEmpty();
    }

    @Test
    void whoGivesItsPlaceUpKeepsItsVote() {
        // The claim may be in use by now, or be somebody else's.
        acquire("a", 1, 100);
        redis.call("RPUSH", KEYS.queue(NAME), "a inbox 30000 x since=5 1 host me");
        run(Script.QUORUM_WITHDRAW, "a", "60000", "place");
        assertThat(vote()).startsWith("a 1 100 ");
        assertThat(queue()).isEmpty();
        run(Script.QUORUM_WITHDRAW, "a", "60000");
        assertThat(vote()).isEqualTo("null");
    }

    @Test
    void whoGivesItsPlaceUpGivesAReservationUp() {
        redis.call("SET", KEYS.lock(NAME), "a 0 0 0 1 30000 x - 1 host me", "PX", "60000");
        run(Script.QUORUM_WITHDRAW, "a", "60000", "place");
        assertThat(vote()).isEqualTo("null");
    }

    @Test
    void aLookSaysWhoHasEachLockAndWhoStandsInLine() {
        acquire("a", 1, 100);
        redis.call("RPUSH", KEYS.queue(NAME), "x", "b inbox 30000 x since=5 1 host me");
        String[] keys = {KEYS.admission(), KEYS.lock(NAME), KEYS.lock("other"), KEYS.queue(NAME)};
        List<Object> seen = run(Script.QUORUM_LOOK, keys, "b inbox 30000 x since=5 1 host me");
        assertThat(seen.subList(4, seen.size())).containsExactly("a 1 100", "", 2L);
        assertThat(run(Script.QUORUM_LOOK, keys, "c inbox 30000 x since=5 1 host me")
                        .get(6))
                .isEqualTo(0L);
    }

    @Test
    void anAcquireOfAnEarlierRoundIsRefused() {
        acquire("a", 2, 100);
        assertThat(acquire("a", 1, 100).get(0)).isEqualTo(-1L);
        assertThat(vote()).startsWith("a 2 ");
    }

    @Test
    void anAcquireThatArrivesAfterItsTimeIsRefused() {
        // The client has stopped waiting, and has undone the round.
        assertThat(run(Script.QUORUM_ACQUIRE, "a", "1", "30000", "1", TAIL, "1", "100", "")
                        .get(0))
                .isEqualTo(-1L);
        assertThat(vote()).isEqualTo("null");
    }

    @Test
    void aRaiseMeetsOnlyWhatThisNodeAnsweredToThisRound() {
        // Another value, another round, another owner: none of them is touched.
        acquire("a", 1, 100);
        assertThat(raise("a", 1, 99, 150)).isEqualTo(0L);
        assertThat(raise("a", 2, 100, 150)).isEqualTo(0L);
        assertThat(raise("b", 1, 100, 150)).isEqualTo(0L);
        assertThat(vote()).startsWith("a 1 100 ");
        assertThat(raise("a", 1, 100, 150)).isEqualTo(1L);
        assertThat(vote()).startsWith("a 1 150 ");
        // A copy is harmless and says the same: otherwise a repeated request would lose the round.
        assertThat(raise("a", 1, 100, 150)).isEqualTo(1L);
        assertThat(redis.text("GET", KEYS.of(NAME)[2])).isEqualTo("150");
    }

    @Test
    void aRaiseNeverGoesDown() {
        // The counter here has passed that token: it may have been somebody else's in between.
        acquire("a", 1, 100);
        assertThat(raise("a", 1, 100, 90)).isEqualTo(0L);
        assertThat(vote()).startsWith("a 1 100 ");
    }

    @Test
    void aRaisedCounterStaysWhenTheVoteIsUndone() {
        // The next one here gets a greater value, whatever became of the round.
        acquire("a", 1, 100);
        raise("a", 1, 100, 500);
        undo("a", 1);
        assertThat(acquire("b", 1, 0).get(2)).isEqualTo(501L);
    }

    @Test
    void aProposalFarAheadOfTheClockIsCut() {
        // A client that is mistaken must not use up the numbers of everybody.
        long value = (Long) acquire("a", 1, 8_000_000_000_000_000L).get(2);
        assertThat(value).isLessThan((System.currentTimeMillis() + 60_000) * 1000);
    }

    @Test
    void withoutItsRecordANodeDoesNothing() {
        // For every step that could give or keep a vote.
        acquire("a", 1, 100);
        redis.call("SET", KEYS.admission(), "admitted 5:other:data 60000");
        assertThat(acquire("a", 2, 100).get(0)).isEqualTo(-3L);
        assertThat(raise("a", 1, 100, 150)).isEqualTo(-3L);
        assertThat(run(Script.QUORUM_RENEW, new String[] {KEYS.admission(), KEYS.lock(NAME)}, "a", "100", "30000", "1")
                        .get(0))
                .isEqualTo(-3L);
        assertThat(run(Script.QUORUM_MAXLEASE, new String[] {KEYS.admission()}, "90000")
                        .get(0))
                .isEqualTo(-3L);
        assertThat(vote()).startsWith("a 1 100 ");
    }

    @Test
    void aLeaseLongerThanTheRecordIsRefused() {
        redis.call("SET", KEYS.admission(), "admitted " + SERVER + " 20000");
        assertThat(acquire("a", 1, 100).get(0)).isEqualTo(-2L);
    }

    // ---- a tenure that ends later

    private static List<Object> later(String owner, long token, int round, long millis) {
        return run(Script.QUORUM_RELEASE_LATER, owner, Long.toString(token), "" + round, Long.toString(millis));
    }

    @Test
    void aVoteIsKeptForExactlyThatTimeAndItsValueSaysSo() {
        // Longer than the lease, then shorter. What is left above the lease in the value would be cut by whoever asks.
        acquire("a", 1, 100);
        assertThat(later("a", 100, 1, 50_000).get(0)).isEqualTo(1L);
        assertThat(vote()).matches("a 1 100 1 \\d+ 50000 x - 1 host me");
        acquire("b", 1, 200);
        assertThat(remainingMillis()).isBetween(30_001L, 50_000L);
        assertThat(later("a", 100, 1, 5_000).get(0)).isEqualTo(1L);
        assertThat(remainingMillis()).isBetween(1L, 5_000L);
        assertThat(vote()).contains(" 5000 x - ");
    }

    @Test
    void onlyTheVoteOfThatOwnerWithThatTokenIsKept() {
        acquire("a", 1, 100);
        String before = vote();
        assertThat(later("b", 100, 1, 5_000).get(0)).isEqualTo(0L);
        assertThat(later("a", 99, 1, 5_000).get(0)).isEqualTo(0L);
        assertThat(vote()).isEqualTo(before);
        String unknown = unknownKind();
        assertThat(later("a", 100, 1, 5_000).get(0)).isEqualTo(0L);
        assertThat(vote()).isEqualTo(unknown);
        redis.call("DEL", KEYS.lock(NAME));
        assertThat(later("a", 100, 1, 5_000).get(0)).isEqualTo(0L);
        assertThat(vote()).isEqualTo("null");
    }

    @Test
    void aVoteOfAnEarlierRoundThatIsKeptIsNotTakenByItsUndo() {
        // Its acquire came late; round 2 won elsewhere, with the same token.
        acquire("a", 1, 100);
        assertThat(later("a", 100, 2, 5_000).get(0)).isEqualTo(1L);
        undo("a", 1);
        assertThat(vote()).startsWith("a 2 100 ");
    }

    @Test
    void nothingIsKeptForLongerThanTheRecordSaysNorByANodeThatDoesNotVote() {
        acquire("a", 1, 100);
        assertThat(later("a", 100, 1, 60_001).get(0)).isEqualTo(-2L);
        redis.call("SET", KEYS.admission(), "admitted 5:other:data 60000");
        assertThat(later("a", 100, 1, 5_000).get(0)).isEqualTo(-3L);
        assertThat(remainingMillis()).isGreaterThan(5_000L);
    }

    @Test
    void itIsToldHowManyWait() {
        acquire("a", 1, 100);
        assertThat(later("a", 100, 1, 5_000).get(2)).isEqualTo(0L);
        redis.call("RPUSH", KEYS.queue(NAME), "b inbox 30000 x since=5 1 host me");
        assertThat(later("a", 100, 1, 5_000).get(2)).isEqualTo(1L);
    }

    // ---- what a later version may have written

    private static String unknownKind() {
        String unknown = vote().replace(" x - ", " shared slot=3 ");
        redis.call("SET", KEYS.lock(NAME), unknown, "PX", "15000");
        return unknown;
    }

    @Test
    void aVoteOfAnUnknownKindIsBusyWhoeverAsksAndNobodyChangesIt() {
        // Even under the owner that asks: what it means then is not known here.
        acquire("a", 1, 100);
        String unknown = unknownKind();
        for (String owner : List.of("a", "b")) {
            List<?> busy = acquire(owner, 2, 200);
            assertThat(busy.get(0)).isEqualTo(0L);
            assertThat((Long) busy.get(2)).isBetween(1L, 15_000L);
            assertThat(busy.get(7)).isEqualTo("1 host me");
        }
        assertThat(renew("a", 100, 1)).isEqualTo(0L);
        assertThat(raise("a", 1, 100, 150)).isEqualTo(0L);
        assertThat(vote()).isEqualTo(unknown);
        assertThat(remainingMillis()).isBetween(1L, 15_000L);
    }

    @Test
    void notesThatNobodyKnowsAreKeptByEveryRewrite() {
        acquire("a", 1, 100);
        redis.call("SET", KEYS.lock(NAME), vote().replace(" x - ", " x slot=3 "), "KEEPTTL");
        assertThat(raise("a", 1, 100, 150)).isEqualTo(1L);
        assertThat(renew("a", 150, 2)).isEqualTo(1L);
        assertThat(acquire("a", 3, 200).get(2)).isEqualTo(150L);
        assertThat(vote()).matches("a 3 150 1 \\d+ 30000 x slot=3 1 host me");
    }

    @Test
    void aWaiterOfAnUnknownKindGetsAReservationOfItsKind() throws Exception {
        try (Resp inbox = new Resp(redis.port())) {
            inbox.call("SUBSCRIBE", "inbox");
            acquire("a", 1, 100);
            redis.call("RPUSH", KEYS.queue(NAME), "b inbox 30000 shared since=5,more=1 1 host me");
            run(Script.QUORUM_RELEASE, "a", "60000");
            assertThat(vote()).matches("b 0 0 0 \\d+ 30000 shared - 1 host me");
        }
    }

    // ---- the clock of this node was set back by an hour: what is left of every key is an hour more

    private static long remainingMillis() {
        return (Long) redis.call("PTTL", KEYS.lock(NAME));
    }

    private static void setClockBack() {
        redis.call("PEXPIRE", KEYS.lock(NAME), "3600000");
    }

    @Test
    void aRenewalCutsWhatIsAboveTheLease() {
        // "Never shorten" used to keep the hour: the vote stood for an hour after its holder had died.
        acquire("a", 1, 100);
        setClockBack();
        assertThat(renew("a", 100, 1)).isEqualTo(1L);
        assertThat(remainingMillis()).isBetween(1L, 30_000L);
    }

    @Test
    void aRepeatedClaimCutsWhatIsAboveTheLease() {
        // It used to take the hour over.
        acquire("a", 1, 100);
        setClockBack();
        assertThat(acquire("a", 2, 200).get(2)).isEqualTo(100L);
        assertThat(remainingMillis()).isBetween(1L, 30_000L);
    }

    @Test
    void aDeadHoldersVoteIsCutByWhoeverAsks() {
        // Nobody renews it. The rival used to be told to come back in an hour, and it was true.
        acquire("dead", 1, 100);
        setClockBack();
        assertThat((Long) acquire("b", 1, 200).get(2)).isBetween(1L, 30_000L);
        assertThat(remainingMillis()).isBetween(1L, 30_000L);
    }

    @Test
    void aReservationIsCutByWhoeverAsks() {
        redis.call("SET", KEYS.lock(NAME), "dead 0 0 0 1 30000 x - 1 host me", "PX", "3600000");
        assertThat((Long) acquire("b", 1, 200).get(2)).isBetween(1L, 30_000L);
        assertThat(remainingMillis()).isBetween(1L, 30_000L);
    }

    @Test
    void aVoteIsNeverShortened() {
        // Requests can overtake each other. The longer time stands in the value, so that nobody takes it for a step.
        acquire("a", 1, 100);
        String[] keys = {KEYS.admission(), KEYS.lock(NAME)};
        run(Script.QUORUM_RENEW, keys, "a", "100", "60000", "2");
        assertThat(vote()).matches("a 2 100 1 \\d+ 60000 x - 1 host me");
        acquire("b", 1, 200);
        assertThat(renew("a", 100, 1)).isEqualTo(1L);
        acquire("a", 2, 200);
        assertThat(vote()).matches("a 2 100 1 \\d+ 60000 x - 1 host me");
        assertThat(remainingMillis()).isGreaterThan(30_000L);
    }
}
