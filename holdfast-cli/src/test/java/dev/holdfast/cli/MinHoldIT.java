package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.demo.RedisServers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What is kept after {@code holdfast} has ended, on a server. On a file {@link RunIT} shows it. */
@ExtendWith(Launched.Cleanup.class)
class MinHoldIT {
    @TempDir
    Path directory;

    @Test
    void redisKeepsTheLockForNobodyAndThenServesWhoWaits() throws Exception {
        // Nobody who knows the lock is alive during the minimum. We used to stay, and the lock was free if we were
        // ended.
        try (RedisServers redis = RedisServers.start(1)) {
            String url = redis.redisUrl();
            Launched hour = run(url, "--min-hold", "1h", "long", "--", "sh", "-c", "exit 3");
            assertThat(hour.exitCode()).as(hour.err()).isEqualTo(3);
            assertThat(run(url, "--no-wait", "long", "--", "true").exitCode()).isEqualTo(75);
            Launched kept = Launched.holdfast(directory, "inspect", "--at", url, "long");
            assertThat(kept.exitCode()).as(kept.err()).isZero();
            assertThat(kept.out()).contains(Long.toString(hour.pid())).containsPattern("remaining    5\\d min");

            long began = System.currentTimeMillis();
            Launched quick = run(url, "--min-hold", "4s", "short", "--", "true");
            assertThat(quick.exitCode()).as(quick.err()).isZero();
            Launched next = run(url, "short", "--", "date", "+%s%3N");
            assertThat(next.exitCode()).as(next.err()).isZero();
            assertThat(Long.parseLong(next.out().strip())).isGreaterThanOrEqualTo(began + 4_000);
        }
    }

    private Launched run(String url, String... arguments) throws Exception {
        String[] command = new String[arguments.length + 3];
        command[0] = "run";
        command[1] = "--at";
        command[2] = url;
        System.arraycopy(arguments, 0, command, 3, arguments.length);
        return Launched.holdfast(directory, command);
    }
}
