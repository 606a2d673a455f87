package dev.holdfast.proving;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lab.machine.Machine;
import dev.holdfast.proving.fault.Faults;
import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import dev.holdfast.proving.log.LogReader;
import dev.holdfast.proving.log.LogWriter;
import dev.holdfast.proving.report.Results;
import dev.holdfast.proving.schedule.PlannedTrial;
import dev.holdfast.proving.schedule.Schedule;
import dev.holdfast.proving.subject.Store;
import dev.holdfast.proving.subject.Subjects;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A run goes on where the last one ended, and believes nothing that is damaged. */
class PlayedBeforeIT {
    private static final PlannedTrial TRIAL = new PlannedTrial(Store.REDIS, Faults.nothing(), 1, 7);

    @TempDir
    Path folder;

    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    private Results play(Machine machine) throws Exception {
        Campaign campaign = campaign(machine);
        campaign.play(List.of(TRIAL));
        return campaign.results();
    }

    private Campaign campaign(Machine machine) throws Exception {
        said.reset();
        return new Campaign(
                machine,
                List.of(Subjects.named("holdfast-redis")),
                Options.LEASE,
                1,
                folder,
                new PrintStream(said, true, StandardCharsets.UTF_8));
    }

    private boolean wasPlayed() {
        return said.toString(StandardCharsets.UTF_8).contains("starting servers");
    }

    private List<Path> files(String ending) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(each -> each.toString().endsWith(ending)).toList();
        }
    }

    @Test
    void whatWasPlayedIsJudgedAgainAndWhatIsDamagedIsPlayedAgain() throws Exception {
        try (Machine machine = Machine.prepare()) {
            assertThat(play(machine).outcomes()).hasSize(1);
            assertThat(wasPlayed()).isTrue();

            assertThat(play(machine).outcomes()).hasSize(1);
            assertThat(wasPlayed()).isFalse();
            assertThat(said.toString(StandardCharsets.UTF_8)).contains("played before");

            // They made an empty history, in which nothing is wrong.
            for (Path log : files(".log")) {
                Files.delete(log);
            }
            assertThat(play(machine).outcomes())
                    .allSatisfy(each -> assertThat(each.verdict().grants()).isPositive());
            assertThat(wasPlayed()).isTrue();

            Files.writeString(files("done").get(0), "");
            assertThat(play(machine).outcomes()).hasSize(1);
            assertThat(wasPlayed()).isTrue();
        }
    }

    /** Leaves what a trial leaves in which nothing happened. */
    private void pretendPlayed(PlannedTrial trial) throws IOException {
        Path place = folder.resolve(trial.id() + "-" + Long.toHexString(trial.seed()));
        Path logs = Files.createDirectories(place.resolve("holdfast-redis"));
        LogWriter log = new LogWriter(logs.resolve("runner" + LogReader.ENDING));
        log.write(Event.ofRunner(1_000_000, Kind.END));
        log.close();
        Files.writeString(place.resolve("done"), new Load.Meter().measured().toLine());
    }

    @Test
    void whatTwoOutOfThreeRoundsHaveDecidedIsNotPlayedAThirdTime() throws Exception {
        List<PlannedTrial> three = Schedule.of(List.of(Store.REDIS), List.of(Faults.nothing()), 3, 7);
        pretendPlayed(three.get(0));
        pretendPlayed(three.get(1));

        try (Machine machine = Machine.prepare()) {
            Campaign campaign = campaign(machine);
            campaign.playUntilDecided(three);
            assertThat(campaign.results().outcomes()).hasSize(2);
            assertThat(wasPlayed()).isFalse();
        }
    }
}
