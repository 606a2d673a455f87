package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.demo.RedisServers;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Another server for one of a quorum's. */
@ExtendWith(Launched.Cleanup.class)
class ReplaceServerIT {
    @TempDir
    Path directory;

    private Launched holdfast(String... arguments) throws Exception {
        return Launched.holdfast(directory, arguments);
    }

    @Test
    void aDeadServerIsReplacedAndTheOldListRefused() throws Exception {
        // A client with another list of the same length simply worked: both held the lock.
        try (RedisServers five = RedisServers.start(5);
                RedisServers sixth = RedisServers.start(1)) {
            String before = five.redlockUrl();
            String fresh = sixth.redisUrl().replace("redis://", "");
            assertThat(holdfast("init", before).exitCode()).isZero();
            String dead = five.kill(4);
            String after = before.replace(dead, fresh);

            Launched tooEarly = holdfast("run", "--no-wait", "--at", after, "a", "--", "echo", "ran");
            assertThat(tooEarly.exitCode()).as(tooEarly.err()).isEqualTo(69);
            assertThat(tooEarly.out()).isEmpty();
            Launched asked = holdfast("replace-server", "--at", after, dead, fresh);
            assertThat(asked.exitCode()).isEqualTo(64);
            assertThat(asked.err()).contains("--yes");
            Launched wrongWay = holdfast("replace-server", "--yes", "--at", before, dead, fresh);
            assertThat(wrongWay.exitCode()).as(wrongWay.out()).isEqualTo(64);
            assertThat(wrongWay.err()).contains("new list");
            Launched done = holdfast("replace-server", "--yes", "--at", after, dead, fresh);
            assertThat(done.exitCode()).as(done.err()).isZero();
            assertThat(done.out()).contains("Replaced " + dead + " by " + fresh, "Done by ");

            Launched works = holdfast("run", "--at", after, "a", "--", "echo", "ran");
            assertThat(works.exitCode()).as(works.err()).isZero();
            assertThat(works.out()).isEqualTo("ran\n");
            Launched old = holdfast("run", "--wait", "5m", "--at", before, "a", "--", "echo", "ran");
            assertThat(old.exitCode()).as(old.err()).isEqualTo(69);
            assertThat(old.err()).contains("another list", "holdfast replace-server");
            assertThat(old.out()).isEmpty();
            Launched examined = holdfast("doctor", "--at", after);
            assertThat(examined.exitCode()).as(examined.out() + examined.err()).isEqualTo(1);
            assertThat(examined.out()).contains(fresh);
        }
        Launched nonsense = holdfast("replace-server", "--yes", "--at", "redis://127.0.0.1:1", "a:1", "b:1");
        assertThat(nonsense.exitCode()).isEqualTo(64);
        assertThat(nonsense.err()).contains("Only a quorum");
    }
}
