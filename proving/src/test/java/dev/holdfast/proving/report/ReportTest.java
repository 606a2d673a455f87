package dev.holdfast.proving.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.holdfast.proving.check.Checker;
import dev.holdfast.proving.check.History;
import dev.holdfast.proving.check.Limits;
import dev.holdfast.proving.fault.Faults;
import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import dev.holdfast.proving.schedule.PlannedTrial;
import dev.holdfast.proving.subject.Store;
import dev.holdfast.proving.subject.Subject;
import dev.holdfast.proving.subject.Subjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same two overlaps after a pause, of one whose documents promise exclusion then and of one whose documents do not. */
class ReportTest {
    private static final Limits LIMITS = new Limits(Duration.ofSeconds(3), Duration.ofSeconds(3));

    @TempDir
    Path folder;

    private final Results results = new Results();

    @BeforeEach
    void twoOverlaps() {
        add("holdfast-redis");
        add("shedlock-redis");
        results.note("a <note> with \"quotes\"");
    }

    private void add(String id) {
        results.add(outcome(id, 1, 5_000_000));
    }

    private static Outcome outcome(String id, int round, long pausedAt) {
        return outcome(id, round, pausedAt, 195_000_000);
    }

    private static Outcome outcome(String id, int round, long pausedAt, long mendedAt) {
        Subject subject = Subjects.named(id);
        History history = new History(List.of(
                Event.ofRunner(pausedAt, Kind.BREAKING, "name", "client-stop"),
                Event.ofRunner(mendedAt, Kind.MENDED, "name", "client-stop"),
                Event.of(1_000_000, Kind.ATTEMPT, "a1", 1, "wait", 6000),
                Event.of(10_000_000, Kind.GRANT, "a1", 1),
                Event.of(20_000_000, Kind.ATTEMPT, "b1", 1, "wait", 6000),
                Event.of(30_000_000, Kind.GRANT, "b1", 1),
                Event.of(150_000_000, Kind.RELEASING, "a1", 1),
                Event.of(160_000_000, Kind.RELEASING, "b1", 1),
                Event.ofRunner(200_000_000, Kind.END)));
        PlannedTrial trial = new PlannedTrial(Store.REDIS, Faults.all().get(0), round, 42);
        return new Outcome(subject, trial, history, Checker.check(history, LIMITS));
    }

    private static Outcome kept(String id, int round) {
        History history = new History(List.of(Event.ofRunner(200_000_000, Kind.END)));
        return new Outcome(
                Subjects.named(id),
                new PlannedTrial(Store.REDIS, Faults.all().get(0), round, 42),
                history,
                Checker.check(history, LIMITS));
    }

    // What was broken before anything had gone wrong is excused by nothing that came later.
    @Test
    void aFaultExcusesOnlyWhatComesAfterIt() {
        Results early = new Results();
        early.add(outcome("shedlock-redis", 1, 190_000_000));

        assertThat(Table.of(early).lines().filter(line -> line.startsWith("ShedLock")))
                .singleElement()
                .asString()
                .contains(" 1, 0.1 s");
    }

    // Two held the lock at 30 ms. A fault at 100 ms, while they still do, has nothing to do with it.
    @Test
    void aFaultDoesNotExcuseWhatHadBegunBeforeIt() {
        Results early = new Results();
        early.add(outcome("shedlock-redis", 1, 100_000_000));

        assertThat(Table.of(early)).contains(" 1, 0.1 s").doesNotContain("(1)");
    }

    // A mixture: the pause was over a lease before either of them asked for the lock. Until then the one that was
    // paused may
    // still release a lock that is another's by now.
    @Test
    void aFaultThatIsOverForALeaseDoesNotExcuseWhoAskedLater() {
        Results over = new Results();
        over.add(outcome("shedlock-redis", 1, -4_000_000_000L, -3_000_000_000L));
        Results during = new Results();
        during.add(outcome("shedlock-redis", 1, -4_000_000_000L, -2_000_000_000L));

        assertThat(Table.of(over)).contains(" 1, 0.1 s").doesNotContain("(1)");
        assertThat(Table.of(during)).contains("(1), 0.1 s");
    }

    @Test
    void aClaimNeedsItsSeedToShowItTwoOutOfThreeTimes() throws IOException {
        Results once = new Results();
        once.add(outcome("redisson-lock", 1, 190_000_000));
        once.add(kept("redisson-lock", 2));
        once.add(kept("redisson-lock", 3));
        Results alone = new Results();
        alone.add(outcome("redisson-lock", 1, 190_000_000));
        Results twice = new Results();
        twice.add(outcome("redisson-lock", 1, 190_000_000));
        twice.add(outcome("redisson-lock", 2, 190_000_000));
        twice.add(kept("redisson-lock", 3));

        assertThat(Markdown.of(conditions(0.02), once))
                .contains("two held it 1 of 3")
                .doesNotContain("**");
        assertThat(Page.of(conditions(0.02), once)).doesNotContain("class=\"broken\"");
        // The short run plays each trial once.
        assertThat(Markdown.of(conditions(0.02), alone))
                .contains("two held it 1 of 1")
                .doesNotContain("**");
        assertThat(Markdown.of(conditions(0.02), twice)).contains("**two held it 2 of 3**", "**2, 0.1 s**");
        assertThat(Page.of(conditions(0.02), twice)).contains("class=\"broken\"");
    }

    // A third round is needed where the first two differ, about any subject.
    @Test
    void aTrialIsDecidedOnceMostOfItsRoundsAgreeAboutEverybody() {
        PlannedTrial trial = kept("redisson-lock", 3).trial();
        Results played = new Results();
        assertThat(played.isDecided(trial, 3)).isFalse();
        played.add(outcome("redisson-lock", 1, 190_000_000));
        played.add(kept("plain-redis", 1));
        assertThat(played.isDecided(trial, 3)).isFalse();
        played.add(outcome("redisson-lock", 2, 190_000_000));
        assertThat(played.isDecided(trial, 3)).isFalse();
        played.add(kept("plain-redis", 2));
        assertThat(played.isDecided(trial, 3)).isTrue();
        assertThat(played.isDecided(trial, 5)).isFalse();

        Results differing = new Results();
        differing.add(outcome("redisson-lock", 1, 190_000_000));
        differing.add(kept("redisson-lock", 2));
        assertThat(differing.isDecided(trial, 3)).isFalse();
        // Broken both times, but once with an excuse.
        Results excused = new Results();
        excused.add(outcome("shedlock-redis", 1, 190_000_000));
        excused.add(outcome("shedlock-redis", 2, 5_000_000));
        assertThat(excused.isDecided(trial, 3)).isFalse();
        // A soak has other seeds each time.
        assertThat(played.isDecided(new PlannedTrial(Store.REDIS, Faults.all().get(0), 1, 43), 1))
                .isFalse();
    }

    private static Conditions conditions(double others) {
        return conditions("quick", others);
    }

    private static Conditions conditions(String kind, double others) {
        return new Conditions(
                kind,
                "2026-11-17",
                "./prove --quick",
                7,
                3000,
                "a machine.",
                2,
                List.of(3.0),
                List.of(others),
                List.of("Redis 7.0.15"));
    }

    @Test
    void whatWasPromisedIsTellingApartFromWhatWasNot() {
        String table = Table.of(results);

        assertThat(table.lines().filter(line -> line.startsWith("Holdfast")))
                .singleElement()
                .asString()
                .contains(" 1, 0.1 s");
        assertThat(table.lines().filter(line -> line.startsWith("ShedLock")))
                .singleElement()
                .asString()
                .contains("(1), 0.1 s");
    }

    @Test
    void theJsonCanBeReadAndSaysTheSame() throws IOException {
        Report.write(folder, conditions(0.02), results);

        JsonObject json = JsonParser.parseString(Files.readString(folder.resolve("results.json")))
                .getAsJsonObject();
        JsonArray outcomes = json.getAsJsonArray("outcomes");
        assertThat(json.get("seed").getAsLong()).isEqualTo(7);
        assertThat(json.getAsJsonArray("notes").get(0).getAsString()).isEqualTo("a <note> with \"quotes\"");
        JsonObject ours =
                outcomes.get(0).getAsJsonObject().getAsJsonArray("worst").get(0).getAsJsonObject();
        JsonObject shedLock =
                outcomes.get(1).getAsJsonObject().getAsJsonArray("worst").get(0).getAsJsonObject();
        assertThat(ours.get("rule").getAsString()).isEqualTo("OVERLAP");
        assertThat(ours.get("millis").getAsLong()).isEqualTo(120);
        assertThat(ours.get("promised").getAsBoolean()).isTrue();
        assertThat(shedLock.get("promised").getAsBoolean()).isFalse();
    }

    @Test
    void thePageHasATimelineForEachAndNothingFromElsewhere() throws IOException {
        Report.write(folder, conditions(0.02), results);

        String page = Files.readString(folder.resolve("index.html"));
        assertThat(page.split("<svg ", -1)).hasSize(3);
        assertThat(page)
                .contains("a1#1 and b1#1 believed to hold the lock at once")
                .contains("./prove --seed 42 holdfast-redis none")
                .contains("a &lt;note&gt;");
        assertThat(page.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http:", "https:", "src=");
    }

    // It has thousands of trials and is published beside the comparison.
    @Test
    void aSoakHasFilesOfItsOwnAndListsOnlyWhatWasBroken() throws IOException {
        results.add(kept("redisson-lock", 3));
        Conditions soak = conditions("soak", 0.02);

        Path page = Report.write(folder, soak, results);

        assertThat(page).hasFileName("soak.html").exists();
        assertThat(Files.readString(folder.resolve("soak.md"))).contains("2 trials", "[soak.json](soak.json)");
        JsonObject json = JsonParser.parseString(Files.readString(folder.resolve("soak.json")))
                .getAsJsonObject();
        assertThat(json.getAsJsonArray("outcomes")).hasSize(2);
        assertThat(json.get("trials").getAsLong()).isEqualTo(2);
        assertThat(folder.resolve("index.html")).doesNotExist();
    }

    // Times of a machine that others used must not be published as if it had been quiet.
    @Test
    void aLoadedMachineIsSaidToBeLoaded() throws IOException {
        Report.write(folder, conditions(0.5), results);
        assertThat(Files.readString(folder.resolve("results.md")))
                .contains("highest 3.0", "50 %")
                .contains("not a quiet run");
        assertThat(Files.readString(folder.resolve("index.html"))).contains("not a quiet run");

        Report.write(folder, conditions(0.02), results);
        assertThat(Files.readString(folder.resolve("results.md")))
                .contains("highest 3.0", "2 %")
                .doesNotContain("not a quiet run");
    }
}
