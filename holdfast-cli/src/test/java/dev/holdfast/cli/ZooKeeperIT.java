package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
            assertThat(refused.err()).contains("guarantees no more than", "--lease");
            assertThat(refused.out()).isEmpty();
        }
    }

    @Test
    void aMinimumThatASessionCannotKeepIsRefusedBeforeTheCommandStarts() throws Exception {
        // The lock ends with the session, and the session with us. It used to be kept by a process that stayed.
        try (TestingServer server = new TestingServer()) {
            String url = "zookeeper://" + server.getConnectString() + "/?tickTime=1s";
            Launched refused =
                    Launched.holdfast(directory, "run", "--min-hold", "5m", "--at", url, "a", "--", "echo", "ran");
            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(64);
            assertThat(refused.err()).contains("--min-hold", "cannot keep a lock");
            assertThat(refused.out()).isEmpty();
        }
    }

    @Test
    void aServerThatAcceptsAndStaysSilentKeepsNobodyForLong() throws Exception {
        // The answer was there after 5 s, and the command ended after 31: it waited for the end of a session to be
        // confirmed that had never begun.
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String url = "zookeeper://127.0.0.1:" + silent.getLocalPort();
            List<Launched> asking = List.of(
                    Launched.holdfast(directory, "ls", "--at", url),
                    Launched.holdfast(directory, "run", "--no-wait", "--at", url, "a", "--", "true"));
            for (Launched each : asking) {
                assertThat(each.exitCode(Duration.ofSeconds(20))).isEqualTo(69);
                assertThat(each.err()).contains("no ZooKeeper server has answered");
            }
        }
    }
}
