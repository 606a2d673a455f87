package dev.holdfast.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.LockKey;
import dev.holdfast.LockState;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What the console tells of what it has seen, and of the time in which it did not look. The time is that of the test. */
class LockBoardTest {
    private final AtomicLong nanos = new AtomicLong();
    private final List<String> told = new ArrayList<>();
    private final LockBoard board = new LockBoard(event -> told.add(event.toString()), true, nanos::get);

    private void look(Duration took, Duration pause) {
        nanos.addAndGet(took.toNanos());
        board.update(List.of(), true, took, pause);
    }

    private List<?> watched() {
        return (List<?>) board.history(LockKey.lock("any")).get("watched");
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

    @Test
    void afterALookThatEndedHalfWayEverythingIsTold() {
        // The memory was short in the middle of a list. What had been seen until then was told to nobody.
        List<LockState> all = Scene.locks(true).subList(0, 6);
        Duration took = Duration.ofMillis(1);
        board.update(all.subList(0, 3), true, took, took);
        String id = idIn(told.get(1));
        List<LockState> failing = new AbstractList<>() {
            @Override
            public LockState get(int index) {
                if (index == 4) {
                    throw new OutOfMemoryError("made by the test");
                }
                return all.get(index);
            }

            @Override
            public int size() {
                return all.size();
            }
        };
        assertThatThrownBy(() -> board.update(failing, true, took, took)).isInstanceOf(OutOfMemoryError.class);
        told.clear();
        board.update(all, true, took, took);
        assertThat(told.get(1)).startsWith("event: locks");
        assertThat(told.get(1).split("\"place\"", -1)).hasSize(1 + all.size());
        assertThat(idIn(told.get(1))).isEqualTo(id);
    }

    private static String idIn(String event) {
        return event.substring(event.indexOf("\"id\""), event.indexOf("\"end\""));
    }
}
