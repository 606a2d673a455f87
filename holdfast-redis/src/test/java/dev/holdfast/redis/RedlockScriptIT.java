package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.redis.testing.RedisServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One node of a quorum, step by step: what late and repeated requests may do to it. */
@Timeout(30)
class RedlockScriptIT {
    private static final Keys KEYS = Keys.standard().ofQuorum();
    private static final String NAME = "voted";
    private static final String SERVER = "5:run:data";
    private static final String NEVER = "9000000000000000";

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
        return run(
                Script.QUORUM_ACQUIRE,
                owner,
                "" + round,
                "30000",
                "1",
                "1 host me",
                NEVER,
                Long.toString(proposal),
                "");
    }

    private static void undo(String owner, int round) {
        run(Script.QUORUM_UNDO, owner, "" + round, "30000", "1 host me", "");
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
    void anAcquireOfAnEarlierRoundIsRefused() {
        acquire("a", 2, 100);
        assertThat(acquire("a", 1, 100).get(0)).isEqualTo(-1L);
        assertThat(vote()).startsWith("a 2 ");
    }

    @Test
    void anAcquireThatArrivesAfterItsTimeIsRefused() {
        // The client has stopped waiting, and has undone the round.
        assertThat(run(Script.QUORUM_ACQUIRE, "a", "1", "30000", "1", "1 host me", "1", "100", "")
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
}
