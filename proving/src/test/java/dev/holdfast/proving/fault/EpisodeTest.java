package dev.holdfast.proving.fault;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.proving.subject.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EpisodeTest {
    private static final int SEEDS = 200;

    private static Fault named(String name) {
        return Faults.all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<Episode> mixture(Store store, long seed) {
        return Episode.of(named(Faults.MIXED), store, fault -> true, new Random(seed));
    }

    @Test
    void aFaultAloneIsOneEpisode() {
        assertThat(Episode.of(named("flushall"), Store.REDIS, fault -> true, new Random(1)))
                .singleElement()
                .extracting(Episode::faults)
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.list(Fault.class))
                .extracting(Fault::name)
                .containsExactly("flushall");
    }

    private static List<List<String>> names(List<Episode> episodes) {
        return episodes.stream()
                .map(each -> each.faults().stream().map(Fault::name).toList())
                .toList();
    }

    @Test
    void theSeedDecidesWhatAMixtureIsMadeOf() {
        assertThat(names(mixture(Store.QUORUM, 5))).isEqualTo(names(mixture(Store.QUORUM, 5)));
        assertThat(names(mixture(Store.QUORUM, 5))).isNotEqualTo(names(mixture(Store.QUORUM, 6)));
    }

    // A server cannot be frozen after it was killed, and a process that is dead cannot be thawed.
    @ParameterizedTest
    @EnumSource(Store.class)
    void twoAtOnceHitDifferentThingsAndBelongToTheStore(Store store) {
        int pairs = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            for (Episode episode : mixture(store, seed)) {
                assertThat(episode.faults()).isNotEmpty().allMatch(each -> each.isFor(store));
                assertThat(episode.faults().stream().map(Fault::where)).doesNotHaveDuplicates();
                pairs += episode.faults().size() - 1;
            }
        }
        assertThat(pairs).isPositive();
    }

    // A restart would set the clock back, which loses tokens together with data, as documented: not the fault that is
    // meant.
    @Test
    void noMixtureChangesTheClockOfAServer() {
        List<String> all = new ArrayList<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            mixture(Store.REDIS, seed).forEach(each -> each.faults().forEach(fault -> all.add(fault.name())));
        }
        assertThat(all)
                .contains("server-kill-empty", "client-clock-jump")
                .noneMatch(each -> each.startsWith("server-clock"));
    }

    @Test
    void aMixtureLeavesOutWhatTheMachineCannotPlay() {
        for (int seed = 0; seed < SEEDS; seed++) {
            assertThat(Episode.of(
                            named(Faults.MIXED),
                            Store.REDIS,
                            fault -> fault.needs() == Fault.Needs.NOTHING,
                            new Random(seed)))
                    .allSatisfy(
                            each -> assertThat(each.faults()).allMatch(fault -> fault.needs() == Fault.Needs.NOTHING));
        }
    }

    // A client that takes the place of a killed one waits for the store: the way there must be open by then.
    @Test
    void clientsAreReplacedLast() {
        Episode episode = new Episode(List.of(named("client-kill"), named("cut-all")));

        assertThat(episode.inOrderOfMending()).extracting(Fault::name).containsExactly("cut-all", "client-kill");
    }
}
