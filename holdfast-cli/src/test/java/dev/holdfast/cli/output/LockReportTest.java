package dev.holdfast.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holder;
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
        return LockState.builder("report", Owner.parse("AAAAAAAAAAAAAAAAAAAAAA"))
                .holder(new Holder("host-0", 16, "nightly"))
                .tokens(5, 1)
                .since(since.minusSeconds(60))
                .remaining(Duration.ofSeconds(20));
    }

    @Test
    void sinceWhenEachWaitsIsShownToPeopleAndPrograms() {
        LockState state = held().waiters(List.of(Waiting.of(FIRST, since), Waiting.of(SECOND, since.plusSeconds(60))))
                .build();
        assertThat(LockReport.lines(state, true))
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
        assertThat(LockReport.lines(state, true)).last().asString().endsWith(FIRST.toString());
        assertThat(Json.of(LockJson.of(state, true)))
                .contains("\"waiters\":[{\"host\":\"host-1\",\"pid\":17,\"description\":\"nightly\"}]");
        assertThat(LockReport.table(List.of(state), true).get(1)).contains("  1  ");
        assertThat(LockReport.table(List.of(held().build()), true).get(1)).contains("  0  ");
    }
}
