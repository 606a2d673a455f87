package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.demo.RedisServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many commands are started at once for one name. All of them get through, each in its turn. With 50 and more on one file
 * most were told that the store was unavailable: they took each other for an outage.
 */
@ExtendWith(Launched.Cleanup.class)
class StormIT {
    private static final boolean LONG = "long".equals(System.getProperty("holdfast.search"));
    /** For hundreds of JVMs on a machine that has other things to do. */
    private static final Duration PATIENCE = Duration.ofMinutes(20);

    @TempDir
    Path directory;

    @Test
    void allGetThroughOnOneFile() throws Exception {
        storm("sqlite:" + directory.resolve("locks.db"), LONG ? 200 : 12);
    }

    @Test
    void allGetThroughOnRedis() throws Exception {
        List<Launched> load = new ArrayList<>();
        try (RedisServers redis = RedisServers.start(1)) {
            if (LONG) {
                for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                    load.add(Launched.start(directory, Map.of(), List.of("sh", "-c", "while :; do :; done")));
                }
            }
            storm(redis.redisUrl(), LONG ? 50 : 8);
        } finally {
            for (Launched busy : load) {
                busy.signal("KILL");
            }
        }
    }

    private void storm(String at, int processes) throws Exception {
        // A directory can be made by one only, and it writes its token down while the directory is its own. It keeps it
        // for
        // a moment: starting a JVM takes longer than an empty turn, and two without a lock would hardly ever meet.
        Files.writeString(
                directory.resolve("turn.sh"),
                "mkdir inside || exit 3\necho $HOLDFAST_TOKEN >> turns\nsleep 0.3\nrmdir inside || exit 4\n");
        List<Launched> all = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            all.add(Launched.holdfast(
                    directory, "run", "--at", at, "--wait", PATIENCE.toMinutes() + "m", "hot", "--", "sh", "turn.sh"));
        }
        Map<String, Long> codes = new TreeMap<>();
        for (Launched each : all) {
            codes.merge(each.exitCode(PATIENCE) + " " + each.err(), 1L, Long::sum);
        }
        assertThat(codes).isEqualTo(Map.of("0 ", (long) processes));
        List<Long> tokens = Files.readAllLines(directory.resolve("turns")).stream()
                .map(Long::valueOf)
                .toList();
        assertThat(tokens).hasSize(processes).doesNotHaveDuplicates().isSorted();
    }
}
