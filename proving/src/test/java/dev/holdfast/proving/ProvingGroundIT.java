package dev.holdfast.proving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.proving.check.Rule;
import dev.holdfast.proving.fault.Fault;
import dev.holdfast.proving.fault.Faults;
import dev.holdfast.proving.report.Outcome;
import dev.holdfast.proving.report.Results;
import dev.holdfast.proving.schedule.PlannedTrial;
import dev.holdfast.proving.schedule.Schedule;
import dev.holdfast.proving.subject.Store;
import dev.holdfast.proving.subject.Subjects;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A short run with real servers and processes. Only what holds whatever the load is asserted: nobody is blamed for being late on a machine
 * that others use.
 */
class ProvingGroundIT {
    @TempDir
    Path folder;

    private static List<Fault> faults(String... names) {
        return Faults.all().stream()
                .filter(each -> Stream.of(names).anyMatch(each.name()::equals))
                .toList();
    }

    private static long count(Results results, String subject, Rule rule) {
        return of(results, subject)
                .mapToLong(each -> each.verdict().count(rule))
                .sum();
    }

    private static Stream<Outcome> of(Results results, String subject) {
        return results.outcomes().stream().filter(each -> each.subject().id().equals(subject));
    }

    @Test
    void aBrokenLockIsCaughtAndOursHolds() throws Exception {
        Results results;
        try (Machine machine = Machine.prepare()) {
            Campaign campaign = new Campaign(
                    machine,
                    List.of(
                            Subjects.named("holdfast-redis"),
                            Subjects.named("broken"),
                            Subjects.named("holdfast-sentinel"),
                            Subjects.named("holdfast-quorum")),
                    Options.LEASE,
                    3,
                    folder,
                    System.out);
            List<PlannedTrial> trials = new ArrayList<>();
            trials.addAll(Schedule.of(List.of(Store.REDIS), faults("client-stop", "flushall"), 1, 1));
            trials.addAll(Schedule.of(List.of(Store.SENTINEL), faults("failover-behind"), 1, 1));
            trials.addAll(Schedule.of(List.of(Store.QUORUM), faults("server-kill-empty"), 1, 1));
            campaign.play(trials);
            results = campaign.results();
        }

        assertThat(results.notes()).isEmpty();
        assertThat(results.outcomes()).hasSize(6);
        assertThat(count(results, "broken", Rule.TOKEN_ORDER)).isPositive();
        assertThat(count(results, "broken", Rule.OVERLAP)).isPositive();
        for (String ours : List.of("holdfast-redis", "holdfast-sentinel", "holdfast-quorum")) {
            assertThat(of(results, ours)).isNotEmpty().allSatisfy(each -> {
                assertThat(each.verdict().grants()).isPositive();
                assertThat(each.verdict().violations())
                        .extracting(violation -> violation.rule())
                        .doesNotContain(Rule.LOST_WRITE, Rule.TOKEN_ORDER, Rule.SILENT_LOSS);
            });
        }
    }
}
