package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(Launched.Cleanup.class)
class ZooKeeperIT {
    @TempDir
    Path directory;

    @Test
    void aLockInZooKeeperIsHeldShownAndBusyForOthers() throws Exception {
        // Under a path that does not exist yet. A typing error in the URL is a matter of usage, and no password is
        // shown.
        try (TestingServer server = new TestingServer()) {
            String url = "zookeeper://" + server.getConnectString() + "/apps/shell?tickTime=1s";
            Launched holder = Launched.holdfast(
                            directory,
                            "run",
                            "--at",
                            url,
                            "night/a",
                            "--",
                            "sh",
                            "-c",
                            "echo $HOLDFAST_TOKEN; exec sleep 600")
                    .untilOut("\n");
            String token = holder.out().strip();
            Launched listed = Launched.holdfast(directory, "ls", "--at", url);
            assertThat(listed.exitCode()).as(listed.err()).isZero();
            assertThat(listed.out()).contains("night/a", token);
            assertThat(Launched.holdfast(directory, "run", "--no-wait", "--at", url, "night/a", "--", "true")
                            .exitCode())
                    .isEqualTo(75);
            Launched mistyped =
                    Launched.holdfast(directory, "ls", "--at", "zookeeper://user:secret@127.0.0.1:1/x?ticks=3");
            assertThat(mistyped.exitCode()).isEqualTo(64);
            assertThat(mistyped.err()).contains("tickTime").doesNotContain("secret");
        }
    }

    @Test
    void aLeaseThatTheSessionCannotBearIsRefusedWithWhatToDo() throws Exception {
        // The server grants 20 s, and with the usual settings too little of them can be relied on.
        try (TestingServer server = new TestingServer()) {
            Launched refused = Launched.holdfast(
                    directory, "run", "--at", "zookeeper://" + server.getConnectString(), "a", "--", "echo", "ran");
            assertThat(refused.exitCode()).isEqualTo(69);
            assertThat(refused.err()).contains("vouches for no more than", "--lease");
            assertThat(refused.out()).isEmpty();
        }
    }
}
