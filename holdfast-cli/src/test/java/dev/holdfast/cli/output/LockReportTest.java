package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holder;
import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import dev.holdfast.Waiting;
import dev.holdfast.dashboard.json.LockJson;
import dev.holdfast.spi.Owner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Since when somebody waits was known to the store, and shown by no command. */
class LockReportTest {
    private static final Holder FIRST = new Holder("host-1", 17, "nightly");
    private static final Holder SECOND = new Holder("host-2", 18, "nightly");
    private final Instant since = Instant.now().minusSeconds(90);

    private LockState.Builder held() {
        return held(LockKey.lock("report"));
    }

    private LockState.Builder held(LockKey key) {
        return LockState.builder(key.encoded(), Owner.parse("AAAAAAAAAAAAAAAAAAAAAA"))
                .holder(new Holder("host-0", 16, "nightly"))
                .tokens(5, 1)
                .since(since.minusSeconds(60))
                .remaining(Duration.ofSeconds(20));
    }

    @Test
    void sinceWhenEachWaitsIsShownToPeopleAndPrograms() {
        LockState state = held().waiters(List.of(Waiting.of(FIRST, since), Waiting.of(SECOND, since.plusSeconds(60))))
                .build();
        assertThat(LockReport.lines(List.of(state), true))
                .contains("waiters      2")
                .anyMatch(line -> line.matches(" +process 17 on host-1.* since " + since + " \\(1 min 3\\d s\\)"))
                .anyMatch(line -> line.matches(" +process 18 on host-2.* since .* \\(3\\d\\.\\d s\\)"));
        assertThat(Json.of(LockJson.of(state, true)))
                .contains("\"waiters\":[{\"host\":\"host-1\",\"pid\":17,\"description\":\"nightly\",\"since\":\""
                        + since + "\"},{\"host\":\"host-2\"");
        // The longest wait says whether somebody should look.
        List<String> table = LockReport.table(List.of(state), true);
        assertThat(table.get(0)).contains("WAITERS");
        assertThat(table.get(1)).containsPattern("  2, 1 min 3\\d s  ");
    }

    @Test
    void aPlaceThatDoesNotSaySinceWhenIsNotGuessedFor() {
        LockState state =
                held().waiters(List.of(Waiting.of(FIRST, Instant.EPOCH))).build();
        assertThat(LockReport.lines(List.of(state), true)).last().asString().endsWith(FIRST.toString());
        assertThat(Json.of(LockJson.of(state, true)))
                .contains("\"waiters\":[{\"host\":\"host-1\",\"pid\":17,\"description\":\"nightly\"}]");
        assertThat(LockReport.table(List.of(state), true).get(1)).contains("  1  ");
        assertThat(LockReport.table(List.of(held().build()), true).get(1)).contains("  0  ");
    }

    @Test
    void locksAloneAreListedAsBeforeAndOtherKindsAddOneColumnAtTheEnd() {
        // Scripts take columns by their number. A list of locks must not change, and with others in it the first eight
        // stay.
        List<String> locks = LockReport.table(List.of(held().build()), true);
        assertThat(locks.get(0)).endsWith("DESCRIPTION");
        assertThat(locks.get(1)).endsWith("  nightly");
        LockState slot = held(LockKey.semaphore("exports")).slot(3).build();
        LockState reader = held(LockKey.readWriteLock("catalog")).shared(true).build();
        List<String> all = LockReport.table(List.of(reader, slot, held().build()), true);
        assertThat(all.get(0)).matches("NAME .*  DESCRIPTION  KIND");
        assertThat(all.get(1)).matches("catalog .*  nightly +read-write lock, reader");
        assertThat(all.get(2)).matches("exports .*  nightly +semaphore, slot 3");
        assertThat(all.get(3)).matches("report .*  nightly +lock");
    }

    @Test
    void theHoldersOfASemaphoreAreShownWithOneQueue() {
        LockState zero = held(LockKey.semaphore("exports"))
                .waiters(List.of(Waiting.of(FIRST, since)))
                .build();
        LockState two = held(LockKey.semaphore("exports"))
                .slot(2)
                .waiters(List.of(Waiting.of(FIRST, since)))
                .build();
        assertThat(LockReport.lines(List.of(zero, two), true))
                .containsSubsequence(
                        "kind         semaphore, slot 0", "kind         semaphore, slot 2", "waiters      1")
                .containsOnlyOnce("waiters      1");
        assertThat(Json.of(LockJson.of(two, true)))
                .startsWith("{\"name\":\"exports\",\"kind\":\"semaphore\",\"slot\":2,\"held\":true,");
        assertThat(Json.of(LockJson.of(
                        held(LockKey.readWriteLock("exports")).shared(true).build(), true)))
                .startsWith("{\"name\":\"exports\",\"kind\":\"read-write-lock\",\"shared\":true,");
    }
}
