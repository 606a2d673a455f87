package dev.holdfast.proving.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.proving.fault.Faults;
import dev.holdfast.proving.subject.Store;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScheduleTest {
    @Test
    void theSameSeedGivesTheSameTrialsAndAnotherOneOthers() {
        assertThat(seeds(7)).isEqualTo(seeds(7)).doesNotContainAnyElementsOf(seeds(8));
        assertThat(seeds(7)).doesNotHaveDuplicates();
    }

    private static List<Long> seeds(long seed) {
        return Schedule.of(List.of(Store.values()), Faults.all(), 1, seed).stream()
                .map(PlannedTrial::seed)
                .toList();
    }

    // What a run of three rounds shows twice has been shown by its seed two out of three times.
    @Test
    void roundsReplayTheSameSeed() {
        var rounds = Schedule.of(List.of(Store.REDIS), Faults.all(), 3, 7);

        assertThat(rounds).extracting(PlannedTrial::id).doesNotHaveDuplicates();
        assertThat(rounds.stream().filter(each -> each.fault().name().equals("flushall")))
                .hasSize(3)
                .extracting(PlannedTrial::seed)
                .containsOnly(rounds.stream()
                        .filter(each -> each.fault().name().equals("flushall"))
                        .findFirst()
                        .orElseThrow()
                        .seed());
    }

    // A claim about one subject must be repeatable without playing everything else.
    @Test
    void aSingleFaultHasTheSeedThatItHasAmongAll() {
        var alone = Schedule.of(
                List.of(Store.REDIS),
                Faults.all().stream()
                        .filter(each -> each.name().equals("flushall"))
                        .toList(),
                3,
                7);

        assertThat(alone).hasSize(3);
        assertThat(seeds(7)).containsAll(alone.stream().map(PlannedTrial::seed).toList());
    }

    @Test
    void noFaultIsPlayedWhereItCannotHappen() {
        assertThat(Schedule.of(List.of(Store.POSTGRES), Faults.all(), 1, 7))
                .extracting(each -> each.fault().name())
                .contains("client-stop", "server-kill", "cut-holder")
                .doesNotContain("flushall", "server-clock-jump", "minority-stop");
    }
}
