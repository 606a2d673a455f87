package dev.holdfast.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lab.machine.ClockShim;
import dev.holdfast.lab.stage.Stage;
import dev.holdfast.lab.story.Director;
import dev.holdfast.lab.story.Playing;
import dev.holdfast.lab.story.Story;
import dev.holdfast.lab.wire.Lane;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A machine with no server of its own: the story of the fast clock is played with votes that end early, and says so. */
@Timeout(600)
class WithoutClocksIT {
    @Test
    void theStoryIsToldWithAnEarlyExpiry() throws Exception {
        String before = System.getProperty(ClockShim.PROGRAM_PROPERTY);
        System.setProperty(ClockShim.PROGRAM_PROPERTY, "no-such-redis-server");
        try (Stage stage = Stage.open()) {
            assertThat(stage.whyNoClocks()).contains("no redis-server of its own");
            try (Director director = new Director(stage, Duration.ZERO)) {
                director.play(Story.of("fast-clock"));
                assertThat(stage.board().await(Duration.ofMinutes(8), () -> isOver(director)))
                        .isTrue();
                Playing playing = Objects.requireNonNull(director.playing());
                assertThat(playing.problem).isEmpty();
                assertThat(playing.sentences)
                        .anyMatch(sentence -> sentence.contains("so the lab ends its votes early"));
                assertThat(stage.lookAtAccount(Lane.HOLDFAST).isRight()).isTrue();
                assertThat(stage.lookAtAccount(Lane.PLAIN).isRight()).isFalse();
            }
        } finally {
            if (before == null) {
                System.clearProperty(ClockShim.PROGRAM_PROPERTY);
            } else {
                System.setProperty(ClockShim.PROGRAM_PROPERTY, before);
            }
        }
    }

    private static boolean isOver(Director director) {
        Playing playing = director.playing();
        return playing != null && playing.state != Playing.State.PLAYING;
    }
}
