package dev.holdfast.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DeterminismTest {
    private static final int SEEDS = 30;

    @Test
    void theSameSeedGivesTheSameTraceTwice() {
        assertThat(Campaign.hash(1, SEEDS)).isEqualTo(Campaign.hash(1, SEEDS));
    }

    @Test
    void theSameSeedGivesTheSameTraceInAnotherJvm() throws Exception {
        // Another process, other hash seeds and addresses; a newer JDK too, if ./verify has found one.
        String here = Long.toHexString(Campaign.hash(1, SEEDS));
        assertThat(hashIn(System.getProperty("java.home"))).isEqualTo(here);
        String newer = System.getProperty("holdfast.newer.jdk", "");
        if (!newer.isEmpty()) {
            assertThat(hashIn(newer)).isEqualTo(here);
        }
    }

    private static String hashIn(String javaHome) throws IOException, InterruptedException {
        Process child = new ProcessBuilder(
                        javaHome + "/bin/java",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Simulate.class.getName(),
                        "--hash",
                        "1",
                        Integer.toString(SEEDS))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(child.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return said;
    }
}
