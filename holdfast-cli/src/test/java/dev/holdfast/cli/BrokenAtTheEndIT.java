package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.demo.RedisServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * An operator breaks the lock, and the command ends before the next renewal could tell. The store says so when the lock is
 * given back. The exit code used to be the command's own, though another command may have run beside it.
 */
@ExtendWith(Launched.Cleanup.class)
class BrokenAtTheEndIT {
    @TempDir
    Path directory;

    private Launched broken(String url, String lease, String... options) throws Exception {
        Path end = directory.resolve("end");
        List<String> command = new ArrayList<>(List.of("run", "--lease", lease, "--at", url));
        command.addAll(List.of(options));
        command.addAll(List.of("a", "--", "sh", "-c", "echo ready; while [ ! -e " + end + " ]; do sleep 0.1; done"));
        Launched run =
                Launched.holdfast(directory, command.toArray(String[]::new)).untilOut("ready");
        Launched breaking = Launched.holdfast(directory, "break", "--yes", "--at", url, "a");
        assertThat(breaking.exitCode()).as(breaking.err()).isZero();
        Files.createFile(end);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(76);
        assertThat(run.err()).contains("The command ended with ");
        return run;
    }

    /** The first renewal, after a third of the lease, must not come before the command has ended. */
    private void assertNoticed(String url, String lease) throws Exception {
        assertThat(broken(url, lease).err()).contains("Lock 'a' was not ours any more", "ended with 0");
    }

    @Test
    void onSqlite() throws Exception {
        assertNoticed("sqlite:" + directory.resolve("locks.db"), "10m");
    }

    @Test
    void onSqliteWhenItShouldBeKeptForAMinimum() throws Exception {
        // The store is asked to keep the lock, and says that it is not ours any more.
        Launched run = broken("sqlite:" + directory.resolve("locks.db"), "10m", "--min-hold", "1h");
        assertThat(run.err()).contains("Lock 'a' was not ours any more", "ended with 0");
    }

    @Test
    void onRedis() throws Exception {
        try (RedisServers one = RedisServers.start(1)) {
            assertNoticed(one.redisUrl(), "10m");
        }
    }

    @Test
    void onAQuorum() throws Exception {
        try (RedisServers three = RedisServers.start(3)) {
            Launched init = Launched.holdfast(directory, "init", three.redlockUrl());
            assertThat(init.exitCode()).as(init.err()).isZero();
            // The longest that a quorum grants.
            assertNoticed(three.redlockUrl(), "60s");
        }
    }

    @Test
    void onZooKeeper() throws Exception {
        try (TestingServer server = new TestingServer()) {
            // Sessions end sooner than a minute here, so on a very busy machine a renewal may be the first to notice.
            broken("zookeeper://" + server.getConnectString() + "/?tickTime=1s&syncLimit=2&sessionTimeout=60s", "30s");
        }
    }
}
