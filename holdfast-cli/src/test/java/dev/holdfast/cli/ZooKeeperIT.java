package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
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
        try (ServerSocket first = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServerSocket second = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Launched list = Launched.holdfast(directory, "ls", "--at", at(first));
            Launched run = Launched.holdfast(directory, "run", "--no-wait", "--at", at(second), "a", "--", "true");
            assertEndsSoonAfterItsCall(list, first);
            assertEndsSoonAfterItsCall(run, second);
        }
    }

    private static String at(ServerSocket socket) {
        return "zookeeper://127.0.0.1:" + socket.getLocalPort();
    }

    /** Measured from the call: how long it takes to start is another matter. */
    private static void assertEndsSoonAfterItsCall(Launched asking, ServerSocket silent) throws Exception {
        silent.setSoTimeout((int) Launched.PATIENCE.toMillis());
        try (Socket call = silent.accept()) {
            assertThat(call.isConnected()).isTrue();
            assertThat(asking.exitCode(Duration.ofSeconds(22))).isEqualTo(69);
            assertThat(asking.err()).contains("no ZooKeeper server has answered");
        }
    }
}
