package dev.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lab.machine.ClockShim;
import dev.holdfast.lab.stage.AccountView;
import dev.holdfast.lab.stage.Stage;
import dev.holdfast.lab.story.Director;
import dev.holdfast.lab.story.Fact;
import dev.holdfast.lab.story.Playing;
import dev.holdfast.lab.story.Story;
import dev.holdfast.lab.wire.Lane;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Each story, on real servers and processes, with Holdfast and the plain lock side by side: does it end as told? The accounts are read
 * from their server, not from what the story says of itself.
 */
@Timeout(600)
class StoriesIT {
    private static final Duration PATIENCE = Duration.ofMinutes(8);

    private static Stage stage;
    private static Director director;

    @BeforeAll
    static void open() throws Exception {
        stage = Stage.open();
        director = new Director(stage, Duration.ZERO);
    }

    @AfterAll
    static void close() throws Exception {
        director.close();
        stage.close();
    }

    private static Playing play(String id) throws Exception {
        int number = stage.board().read(() -> director.playing() == null ? 0 : director.playing().number);
        director.play(Story.of(id));
        assertThat(stage.board().await(PATIENCE, () -> ended(number)))
                .as("the end of " + id)
                .isTrue();
        Playing playing = Objects.requireNonNull(director.playing());
        System.out.println("measured: story " + id + ": "
                + playing.facts.stream().map(Fact::text).toList());
        assertThat(playing.problem).isEmpty();
        assertThat(playing.state).isEqualTo(Playing.State.AS_TOLD);
        return playing;
    }

    private static boolean ended(int before) {
        Playing playing = director.playing();
        return playing != null && playing.number > before && playing.state != Playing.State.PLAYING;
    }

    private static void assertAccount(Lane lane, long balance, long due) throws Exception {
        AccountView account = stage.lookAtAccount(lane);
        assertThat(account.balance()).as("balance with " + lane).isEqualTo(balance);
        assertThat(account.due()).as("due with " + lane).isEqualTo(due);
    }

    @Test
    @EnabledIfSystemProperty(named = ClockShim.PROGRAM_PROPERTY, matches = ".+")
    void whereTheBuildHasFoundAServerItsClockCanBeChanged() {
        assertThat(stage.whyNoClocks()).isEmpty();
    }

    @Test
    void theLockGoesFromOneToTheNext() throws Exception {
        play("hand-over");
        assertAccount(Lane.HOLDFAST, 130, 130);
        assertAccount(Lane.PLAIN, 130, 130);
    }

    @Test
    void twoServersOfFiveMayFail() throws Exception {
        play("server-lost");
        assertAccount(Lane.HOLDFAST, 130, 130);
        assertAccount(Lane.PLAIN, 130, 130);
    }

    @Test
    void whereAClockRunsFastTheTokenDecides() throws Exception {
        // Two hold at once, with either lock. A's late write is refused by its token; without one, B's deposit is lost.
        play("fast-clock");
        assertAccount(Lane.HOLDFAST, 120, 120);
        assertAccount(Lane.PLAIN, 110, 130);
    }

    @Test
    void aPausedHolderWritesInVain() throws Exception {
        play("paused-holder");
        assertAccount(Lane.HOLDFAST, 120, 120);
        assertAccount(Lane.PLAIN, 110, 130);
    }

    @Test
    void withTheGuardOffThePausedHolderDestroysADeposit() throws Exception {
        director.act(any -> any.guard(false));
        try {
            play("paused-holder");
            assertAccount(Lane.HOLDFAST, 110, 130);
        } finally {
            director.act(any -> any.guard(true));
        }
    }

    @Test
    void aServerThatHasForgottenDoesNotVoteTwice() throws Exception {
        play("restarted-server");
        assertAccount(Lane.HOLDFAST, 130, 130);
        assertAccount(Lane.PLAIN, 110, 130);
    }
}
