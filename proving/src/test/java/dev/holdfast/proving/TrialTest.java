package dev.holdfast.proving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.proving.check.Limits;
import dev.holdfast.proving.subject.Subject;
import dev.holdfast.proving.subject.Subjects;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TrialTest {
    private static List<Subject> everybody() {
        return Subjects.all();
    }

    // 4.8 s were watched after every fault. Holdfast on etcd may take 8 s until a dead holder's lock is free, and 9 s
    // are not stuck
    // yet: it could not have been found stuck by any trial.
    @ParameterizedTest
    @MethodSource("everybody")
    void whoIsStuckIsWatchedForLongEnough(Subject subject) {
        Duration lease = Options.LEASE;
        Limits limits = new Limits(lease, subject.freeAfter(lease));

        assertThat(Duration.ofMillis(Trial.watchMillis(List.of(subject), lease)))
                .isGreaterThan(Duration.ofNanos(limits.freeNanos()).plusMillis(500));
    }
}
