package dev.holdfast.proving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.proving.fault.Fault;
import dev.holdfast.proving.subject.Subject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {
    @Test
    void withoutNamesEverybodyTakesPartButTheBrokenOne() {
        Options options = Options.parse(List.of());

        assertThat(options.subjects())
                .extracting(Subject::id)
                .contains("holdfast-redis", "curator")
                .doesNotContain("broken");
        assertThat(options.rounds()).isEqualTo(3);
        assertThat(options.allRounds()).isFalse();
    }

    @Test
    void namesChooseSubjectsStoresAndFaults() {
        Options options = Options.parse(List.of("--seed", "5", "etcd", "redisson-lock", "flushall"));

        assertThat(options.subjects())
                .extracting(Subject::id)
                .containsExactlyInAnyOrder("holdfast-etcd", "jetcd", "redisson-lock");
        assertThat(options.faults()).extracting(Fault::name).containsExactly("flushall");
        assertThat(options.seed()).isEqualTo(5);
    }

    @Test
    void aSoakIsForOurs() {
        Options options = Options.parse(List.of("--soak", "90m"));

        assertThat(options.soak()).isEqualTo(Duration.ofMinutes(90));
        assertThat(options.subjects()).allMatch(each -> each.id().startsWith("holdfast"));
    }

    // With the others beside it, a soak of four stores was more than two cores can do.
    @Test
    void aSoakOfAStoreIsForOursToo() {
        assertThat(Options.parse(List.of("--soak", "1h", "redis", "zookeeper")).subjects())
                .extracting(Subject::id)
                .containsExactlyInAnyOrder("holdfast-redis", "holdfast-zookeeper");
        assertThat(Options.parse(List.of("--soak", "1h", "zookeeper", "curator"))
                        .subjects())
                .extracting(Subject::id)
                .containsExactlyInAnyOrder("holdfast-zookeeper", "curator");
    }

    @Test
    void anUnknownNameIsRefusedWithThoseThatThereAre() {
        assertThatThrownBy(() -> Options.parse(List.of("redisson")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("redisson-lock")
                .hasMessageContaining("flushall");
    }

    // "For input string" says nothing about what to do.
    @ParameterizedTest
    @CsvSource({
        "--soak, soon",
        "--soak, 1d",
        "--soak, 0s",
        "--soak, -1m",
        "--seed, x",
        "--rounds, 0",
        "--rounds, many",
        "--lanes, -1",
        "--lanes, 1.5"
    })
    void aValueThatMeansNothingIsRefusedWithTheUsage(String option, String value) {
        assertThatThrownBy(() -> Options.parse(List.of(option, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + value + "'")
                .hasMessageContaining("./prove [");
        assertThatThrownBy(() -> Options.parse(List.of(option))).hasMessageContaining(option + " needs a value");
    }

    // It used to end with an empty table, which looks as if nothing had been broken.
    @Test
    void aFaultThatCanHappenToNobodyIsRefused() {
        assertThatThrownBy(() -> Options.parse(List.of("holdfast-redis", "slow-disk")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("None of these faults can happen");
    }

    @Test
    void storesArePlayedSideBySideAsManyAsThereAreProcessorsUnlessSet() {
        assertThat(Options.parse(List.of()).lanes())
                .isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(Options.parse(List.of("--lanes", "7")).lanes()).isEqualTo(7);
    }

    // The command is published: a folder of this machine must not be in it.
    @Test
    void theCommandThatRepeatsARunDoesNotNameTheFolderOfThePage() {
        assertThat(Options.command(List.of("--quick", "--report", "/somewhere", "etcd")))
                .isEqualTo("./prove --quick etcd");
    }
}
