package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Needs etcd, which ./verify sets up. */
@ExtendWith(Launched.Cleanup.class)
@EnabledIfSystemProperty(named = "holdfast.etcd", matches = ".+")
class EtcdIT {
    @TempDir
    Path directory;

    private Process server;
    private String url;

    @BeforeEach
    void start() throws Exception {
        // Somebody else may take a port that was free. Then the server ends.
        await("a server listens").atMost(Launched.PATIENCE).until(this::hasStarted);
    }

    private boolean hasStarted() throws Exception {
        int port = freePort();
        String client = "http://127.0.0.1:" + port;
        String peer = "http://127.0.0.1:" + freePort();
        url = "etcd://127.0.0.1:" + port + "/shell";
        server = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("holdfast.etcd"), "etcd").toString(),
                        "--data-dir=" + directory.resolve("etcd-" + port),
                        "--listen-client-urls=" + client,
                        "--advertise-client-urls=" + client,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=default=" + peer))
                .redirectErrorStream(true)
                .redirectOutput(new File(directory.toFile(), "etcd.log"))
                .start();
        boolean listens = false;
        while (!listens && !server.waitFor(50, TimeUnit.MILLISECONDS)) {
            listens = listens(port);
        }
        return listens;
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    @AfterEach
    void stop() throws InterruptedException {
        server.destroyForcibly().waitFor();
    }

    /** Not one that the system lends to whoever connects. */
    private static int freePort() {
        int port = ThreadLocalRandom.current().nextInt(2_000, 5_000);
        while (!isFree(port)) {
            port++;
        }
        return port;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }

    @Test
    void aLockInEtcdIsHeldShownBusyForOthersAndBroken() throws Exception {
        Launched holder = Launched.holdfast(
                        directory,
                        "run",
                        "--at",
                        url,
                        "--lease",
                        "15s",
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
        assertThat(Launched.holdfast(directory, "inspect", "--at", url, "night/a")
                        .exitCode())
                .isZero();
        assertThat(Launched.holdfast(directory, "run", "--no-wait", "--at", url, "night/a", "--", "true")
                        .exitCode())
                .isEqualTo(75);
        Launched doctor = Launched.holdfast(directory, "doctor", "--at", url);
        doctor.exitCode();
        assertThat(doctor.out()).contains("one member");
        Launched broken = Launched.holdfast(directory, "break", "--yes", "--at", url, "night/a");
        assertThat(broken.exitCode()).as(broken.err()).isZero();
        assertThat(holder.exitCode()).as("told with its next renewal").isNotZero();
    }

    @Test
    void theStoreKeepsALockForItsMinimumAfterTheCommandHasEnded() throws Exception {
        Launched ran = Launched.holdfast(directory, "run", "--min-hold", "1m", "--at", url, "job", "--", "true");
        assertThat(ran.exitCode()).as(ran.err()).isZero();
        assertThat(Launched.holdfast(directory, "run", "--no-wait", "--at", url, "job", "--", "true")
                        .exitCode())
                .isEqualTo(75);
    }

    @Test
    void aMistypedUrlIsAMatterOfUsageAndShowsNoPassword() throws Exception {
        Launched mistyped = Launched.holdfast(directory, "ls", "--at", "etcd://user:secret@127.0.0.1:1/x?what=3");
        assertThat(mistyped.exitCode()).isEqualTo(64);
        assertThat(mistyped.err()).contains("ca, cert and key").doesNotContain("secret");
    }

    @Test
    void aServerThatIsAwayIsUnavailable() throws Exception {
        server.destroyForcibly().waitFor();
        Launched away = Launched.holdfast(directory, "run", "--no-wait", "--at", url, "a", "--", "true");
        assertThat(away.exitCode()).isEqualTo(69);
        assertThat(away.err()).contains("etcd");
    }
}
