package dev.holdfast.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LockKey;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import dev.holdfast.redis.node.Wire;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.redis.testing.Resp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One node of a quorum as the home of a semaphore, step by step. */
@Timeout(240)
class RedlockSlotScriptIT {
    private static final Keys KEYS = Keys.standard().ofQuorum();
    private static final String KEY = LockKey.semaphore("exports").encoded();
    private static final String QUEUE = KEYS.queue(KEY);
    private static final String SERVER = "5:run:data";
    private static final String NEVER = "9000000000000000";
    private static final String TAIL = "x - 1 host me";
    private static final String WINDOW = "60000";

    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    /** Whoever waits listens there. */
    private Resp inbox;

    @BeforeEach
    void listen() throws IOException {
        inbox = new Resp(redis.port());
        inbox.call("SUBSCRIBE", "inbox");
    }

    @AfterEach
    void stopListening() throws IOException {
        inbox.close();
    }

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

    private static String lock(int slot) {
        return KEYS.lock(SlotNames.of(KEY, slot));
    }

    private static String[] ofSlot(int slot) {
        String[] keys = KEYS.ofQuorum(SlotNames.of(KEY, slot));
        keys[1] = QUEUE;
        return keys;
    }

    private static String[] ofSlots(int slots) {
        String[] keys = new String[2 + slots];
        keys[0] = KEYS.admission();
        keys[1] = QUEUE;
        Arrays.setAll(keys, i -> i < 2 ? keys[i] : lock(i - 2));
        return keys;
    }

    private static List<Object> suggest(String owner, int slots, String entry) {
        return run(Script.QUORUM_SUGGEST, ofSlots(slots), owner, "30000", WINDOW, NEVER, TAIL, entry);
    }

    private static void hold(String owner, int slot) {
        assertThat(run(Script.QUORUM_ACQUIRE, ofSlot(slot), owner, "1", "30000", "1", TAIL, NEVER, "100", "")
                        .get(0))
                .isEqualTo(1L);
    }

    private static List<Object> release(String owner, int slot) {
        return run(Script.QUORUM_RELEASE, ofSlot(slot), owner, WINDOW);
    }

    private static String entry(String owner, int slots) {
        return owner + " inbox 30000 x since=5,slots=" + slots + " 1 host me";
    }

    @SuppressWarnings("unchecked")
    private static List<Object> queue() {
        return (List<Object>) redis.call("LRANGE", QUEUE, "0", "-1");
    }

    @Test
    void everyClaimIsToldAnotherSlotAndTheSameOneAgain() {
        // What is kept for it is no vote: others who ask for that slot are told whose turn it is.
        assertThat(suggest("a", 2, "").get(2)).isEqualTo(0L);
        assertThat(suggest("b", 2, "").get(2)).isEqualTo(1L);
        assertThat(suggest("a", 2, "").get(2)).isEqualTo(0L);
        assertThat(redis.text("GET", lock(0))).matches("a 0 0 0 \\d+ 30000 x - 1 host me");
        assertThat(suggest("c", 2, "").subList(3, 5)).isEqualTo(List.of(0L, "1 host me"));
        hold("b", 1);
        hold("a", 0);
        assertThat(suggest("b", 2, "").get(2)).as("of a vote").isEqualTo(1L);
        assertThat(suggest("c", 3, "").get(2)).as("of a client with more slots").isEqualTo(2L);
    }

    @Test
    void whereAllAreTakenItWaitsAndIsToldWhenTheFirstOfThemEnds() {
        hold("a", 0);
        hold("b", 1);
        redis.call("PEXPIRE", lock(1), "20000");
        List<Object> taken = suggest("c", 2, entry("c", 2));
        assertThat(taken.get(0)).isEqualTo(0L);
        assertThat((Long) taken.get(2)).isBetween(1L, 20_000L);
        assertThat(taken.get(3)).isEqualTo(1L);
        suggest("c", 2, entry("c", 2));
        assertThat(queue()).containsExactly(entry("c", 2));
        assertThat((Long) redis.call("PTTL", QUEUE)).isGreaterThan(60_000L);
    }

    @Test
    void aReleaseServesTheFirstThatMayHaveThatSlotAndTheOthersKeepTheirPlaces() {
        // Two clients of different configurations: the first in line knows of one slot only.
        hold("a", 0);
        hold("b", 1);
        suggest("small", 1, entry("small", 1));
        suggest("large", 2, entry("large", 2));
        suggest("third", 2, entry("third", 2));
        release("b", 1);
        assertThat(redis.text("GET", lock(1))).startsWith("large 0 0 ");
        assertThat(queue()).containsExactly(entry("small", 1), entry("third", 2));
        assertThat((Long) redis.call("PTTL", QUEUE)).isGreaterThan(60_000L);
        release("a", 0);
        assertThat(redis.text("GET", lock(0))).startsWith("small 0 0 ");
    }

    @Test
    void whoCannotHaveTheSlotStaysThoughNobodyElseWaits() {
        // Taken out and put back, the queue would have no expiry.
        hold("a", 0);
        hold("b", 1);
        suggest("small", 1, entry("small", 1));
        release("b", 1);
        assertThat(redis.text("GET", lock(1))).isEqualTo("null");
        assertThat(queue()).containsExactly(entry("small", 1));
        assertThat((Long) redis.call("PTTL", QUEUE)).isGreaterThan(60_000L);
    }

    @Test
    void whoComesWhenASlotHasExpiredServesThoseWhoWait() {
        // Nobody runs when it expires. The newcomer gets what is left.
        hold("a", 0);
        hold("b", 1);
        suggest("waits", 2, entry("waits", 2));
        redis.call("DEL", lock(0));
        List<Object> taken = suggest("new", 2, entry("new", 2));
        assertThat(taken.get(0)).isEqualTo(0L);
        assertThat(taken.subList(5, 7)).as("what was reserved").isEqualTo(List.of(30_000L, List.of(0L)));
        assertThat(redis.text("GET", lock(0))).startsWith("waits 0 0 ");
        redis.call("DEL", lock(1));
        assertThat(suggest("new", 2, entry("new", 2)).get(2)).isEqualTo(1L);
        assertThat(queue()).isEmpty();
    }

    @Test
    void oneWhoWaitsUnderTwoInboxesIsGivenOneSlot() {
        // Its inbox was replaced, and both entries stand in line. Two slots are free.
        String before = entry("a", 2).replace(" inbox ", " earlier ");
        redis.call("RPUSH", QUEUE, before, entry("a", 2));
        assertThat(suggest("a", 2, entry("a", 2)).get(2)).isEqualTo(0L);
        assertThat(redis.text("GET", lock(1))).isEqualTo("null");
        assertThat(queue()).isEmpty();
    }

    @Test
    void aWithdrawalTakesWhateverTheClaimHas() {
        // A vote in one slot, left over from a round, a reservation in another, and a place in line.
        hold("a", 0);
        hold("b", 1);
        redis.call("SET", lock(2), "a 0 0 0 1 30000 x - 1 host me", "PX", "30000");
        redis.call("RPUSH", QUEUE, entry("a", 3), entry("waits", 3));
        List<Object> withdrawn = run(Script.QUORUM_WITHDRAW_SLOTS, ofSlots(3), "a", WINDOW);
        assertThat(withdrawn.subList(2, 4)).isEqualTo(List.of(30_000L, List.of(0L)));
        assertThat(redis.text("GET", lock(0))).startsWith("waits 0 0 ");
        assertThat(redis.text("GET", lock(1))).startsWith("b 1 ");
        assertThat(redis.text("GET", lock(2))).isEqualTo("null");
        assertThat(queue()).isEmpty();
    }

    @Test
    void aTurnThatWasMissedIsThatOfItsSlot() {
        // The holder of slot 0 lets go while a rival's vote is in its way; a round for slot 1 is undone first.
        hold("rival", 0);
        hold("other", 1);
        suggest("waits", 2, entry("waits", 2));
        release("holder", 0);
        run(Script.QUORUM_UNDO, ofSlot(1), "other", "1", "30000", "", NEVER, WINDOW);
        assertThat(redis.text("GET", lock(1))).isEqualTo("null");
        run(Script.QUORUM_UNDO, ofSlot(0), "rival", "1", "30000", "", NEVER, WINDOW);
        assertThat(redis.text("GET", lock(0))).startsWith("waits 0 0 ");
    }

    @Test
    void lateOrWithoutItsRecordItSuggestsNothing() {
        assertThat(run(Script.QUORUM_SUGGEST, ofSlots(1), "a", "30000", WINDOW, "1", TAIL, entry("a", 1))
                        .get(0))
                .isEqualTo(-1L);
        redis.call("SET", KEYS.admission(), "admitted 5:other:data 60000");
        assertThat(suggest("a", 1, entry("a", 1)).get(0)).isEqualTo(-3L);
        assertThat(run(Script.QUORUM_WITHDRAW_SLOTS, ofSlots(1), "a", WINDOW).get(0))
                .isEqualTo(-3L);
        assertThat(redis.text("GET", lock(0))).isEqualTo("null");
        assertThat(queue()).isEmpty();
    }
}
