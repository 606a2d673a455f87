package dev.holdfast.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.dashboard.web.EventHub;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the console says about the time in which it did not look. The time is that of the test. */
class LockBoardTest {
    private final AtomicLong nanos = new AtomicLong();
    private final EventHub hub = new EventHub(1, () -> {});
    private final LockBoard board = new LockBoard(hub, true, nanos::get);

    @AfterEach
    void stop() {
        hub.close();
    }

    private void look(Duration took, Duration pause) {
        nanos.addAndGet(took.toNanos());
        board.update(List.of(), true, took, pause);
    }

    private List<?> watched() {
        return (List<?>) board.history("any").get("watched");
    }

    @Test
    void thePauseAfterASlowAnswerIsNoTimeInWhichNobodyLooked() {
        // The store took 2 s and was left alone for 8. The page used to say that nobody had looked meanwhile.
        Duration pause = Duration.ofSeconds(8);
        look(Duration.ofSeconds(2), pause);
        nanos.addAndGet(pause.toNanos());
        look(Duration.ofMillis(10), Duration.ofMillis(500));
        assertThat(watched()).hasSize(1);
        // After a quick answer the same time is a gap.
        nanos.addAndGet(pause.toNanos());
        look(Duration.ofMillis(10), Duration.ofMillis(500));
        assertThat(watched()).hasSize(2);
    }
}
