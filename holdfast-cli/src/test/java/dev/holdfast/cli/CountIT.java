package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.demo.RedisServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A number in a file, read, raised and written back by processes that only {@code holdfast run} keeps apart. */
@ExtendWith(Launched.Cleanup.class)
class CountIT {
    private static final boolean LONG = "long".equals(System.getProperty("holdfast.search"));
    private static final int PROCESSES = 8;
    /** For hundreds of processes on a machine that has other things to do. */
    private static final Duration PATIENCE = Duration.ofMinutes(15);

    @TempDir
    Path directory;

    @Test
    void noIncrementIsLostOnSqlite() throws Exception {
        // Each round starts a JVM, which is what takes the time.
        count("sqlite:" + directory.resolve("locks.db"), LONG ? 50 : 8);
    }

    @Test
    void noIncrementIsLostOnRedis() throws Exception {
        try (RedisServers redis = RedisServers.start(1)) {
            count(redis.redisUrl(), LONG ? 10 : 5);
        }
    }

    @Test
    void noIncrementIsLostOnAQuorum() throws Exception {
        try (RedisServers five = RedisServers.start(5)) {
            assertThat(Launched.holdfast(directory, "init", five.redlockUrl()).exitCode())
                    .isZero();
            count(five.redlockUrl(), LONG ? 10 : 5);
        }
    }

    private void count(String at, int rounds) throws Exception {
        Path number = Files.writeString(directory.resolve("number"), "0\n");
        Path raise = Files.writeString(directory.resolve("raise.sh"), "read n < number\necho $((n + 1)) > number\n");
        Path rounding = Files.writeString(
                directory.resolve("rounds.sh"),
                "i=0\nwhile [ $i -lt " + rounds + " ]; do\n  " + Launched.LAUNCHER + " run counter -- sh " + raise
                        + " || exit\n  i=$((i + 1))\ndone\n");
        List<Launched> processes = new ArrayList<>();
        for (int i = 0; i < PROCESSES; i++) {
            processes.add(Launched.start(directory, Map.of("HOLDFAST_URL", at), List.of("sh", rounding.toString())));
        }
        for (Launched process : processes) {
            assertThat(process.exitCode(PATIENCE)).as(process.err()).isZero();
        }
        assertThat(Files.readString(number)).isEqualTo(PROCESSES * rounds + "\n");
    }
}
