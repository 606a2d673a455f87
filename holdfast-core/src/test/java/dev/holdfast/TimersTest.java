package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TimersTest {
    private final ManualTime time = new ManualTime();
    private final List<Long> rung = new ArrayList<>();
    private final Timers timers = new Timers(time, due -> due.forEach(alarm -> alarm.ring(null)));

    @Test
    void ringsEachAlarmAtItsTimeHoweverTheyWereSetMovedAndTakenBack() {
        // A thousand random wishes, half of them changed; compared with what a sorted list would do.
        Random random = new Random(7);
        List<TestAlarm> alarms = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            TestAlarm alarm = new TestAlarm();
            alarms.add(alarm);
            alarm.wish(1 + random.nextInt(100_000));
        }
        for (int i = 0; i < 1000; i++) {
            TestAlarm alarm = alarms.get(random.nextInt(1000));
            alarm.wish(random.nextInt(3) == 0 ? Alarm.NEVER : 1 + random.nextInt(100_000));
        }
        List<Long> expected = alarms.stream()
                .map(alarm -> alarm.wantedNanos)
                .filter(wanted -> wanted != Alarm.NEVER)
                .sorted()
                .toList();
        time.advance(Duration.ofNanos(200_000));
        assertThat(rung).containsExactlyElementsOf(expected);
    }

    @Test
    void anAlarmTakenBackNeverRings() {
        TestAlarm alarm = new TestAlarm();
        alarm.wish(10);
        alarm.wish(Alarm.NEVER);
        time.advance(Duration.ofNanos(100));
        assertThat(rung).isEmpty();
    }

    @Test
    void afterCloseNothingRings() {
        TestAlarm alarm = new TestAlarm();
        alarm.wish(10);
        timers.close();
        new TestAlarm().wish(20);
        time.advance(Duration.ofNanos(100));
        assertThat(rung).isEmpty();
    }

    private final class TestAlarm extends Alarm {
        void wish(long nanos) {
            wantedNanos = nanos;
            timers.refresh(this);
        }

        @Override
        void ring(Renewals.Batch batch) {
            assertThat(time.nanoTime()).isEqualTo(wantedNanos);
            rung.add(time.nanoTime());
        }
    }
}
