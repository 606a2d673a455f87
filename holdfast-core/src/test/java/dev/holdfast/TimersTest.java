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
    private final Timers timers = new Timers(time, due -> due.forEach(alarm -> alarm.fire()));

    @Test
    void ringsEachAlarmAtItsTimeHoweverTheyWereSetMovedAndTakenBack() {
        // A thousand random times, half of them changed; compared with what a sorted list would do.
        Random random = new Random(7);
        List<TestAlarm> alarms = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            TestAlarm alarm = new TestAlarm();
            alarms.add(alarm);
            alarm.setFor(1 + random.nextInt(100_000));
        }
        for (int i = 0; i < 1000; i++) {
            TestAlarm alarm = alarms.get(random.nextInt(1000));
            alarm.setFor(random.nextInt(3) == 0 ? Alarm.NEVER : 1 + random.nextInt(100_000));
        }
        List<Long> expected = alarms.stream()
                .map(alarm -> alarm.fireAtNanos)
                .filter(wanted -> wanted != Alarm.NEVER)
                .sorted()
                .toList();
        time.advance(Duration.ofNanos(200_000));
        assertThat(rung).containsExactlyElementsOf(expected);
    }

    @Test
    void anAlarmTakenBackNeverRings() {
        TestAlarm alarm = new TestAlarm();
        alarm.setFor(10);
        alarm.setFor(Alarm.NEVER);
        time.advance(Duration.ofNanos(100));
        assertThat(rung).isEmpty();
    }

    @Test
    void afterCloseNothingRings() {
        TestAlarm alarm = new TestAlarm();
        alarm.setFor(10);
        timers.close();
        new TestAlarm().setFor(20);
        time.advance(Duration.ofNanos(100));
        assertThat(rung).isEmpty();
    }

    private final class TestAlarm extends Alarm {
        void setFor(long nanos) {
            fireAtNanos = nanos;
            timers.refresh(this);
        }

        @Override
        void fire() {
            assertThat(time.nanoTime()).isEqualTo(fireAtNanos);
            rung.add(time.nanoTime());
        }
    }
}
