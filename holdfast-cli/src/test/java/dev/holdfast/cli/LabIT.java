package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast lab} serves its page, and whatever ends it, nothing of it is left. */
@Timeout(600)
@ExtendWith(Launched.Cleanup.class)
class LabIT {
    private static final Pattern LINK = Pattern.compile("This link opens the lab, once: (http://\\S+)");
    /** Six servers, three clients and the shell that ends them. */
    private static final int PROCESSES = 10;

    @TempDir
    Path directory;

    private Launched lab;
    private List<ProcessHandle> processes;
    private Path folder;

    private void start() throws IOException {
        lab = Launched.holdfast(directory, "lab");
        // Ten processes start, four of them JVMs: on a busy machine that takes a while.
        await().atMost(Duration.ofMinutes(2))
                .until(() -> lab.out().contains("This link opens the lab") || !lab.isAlive());
        assertThat(lab.isAlive()).as(lab.err()).isTrue();
        processes = ProcessHandle.of(lab.pid()).orElseThrow().descendants().toList();
        assertThat(processes).hasSize(PROCESSES);
        ProcessHandle keeper =
                processes.stream().filter(LabIT::isKeeper).findFirst().orElseThrow();
        List<String> given = arguments(keeper);
        folder = Path.of(given.get(given.size() - 1));
        assertThat(folder).isDirectory();
    }

    private static List<String> arguments(ProcessHandle process) {
        return List.of(process.info().arguments().orElse(new String[0]));
    }

    /** The shell that ends the others: its last argument is the folder. */
    private static boolean isKeeper(ProcessHandle process) {
        return arguments(process).contains("holdfast-lab-keeper");
    }

    private void assertNothingIsLeft() {
        await().atMost(Launched.PATIENCE).untilAsserted(() -> {
            assertThat(processes).noneMatch(ProcessHandle::isAlive);
            assertThat(folder).doesNotExist();
        });
    }

    @Test
    void thePageIsOpenedByItsLinkAndTheSignalEndsEverything() throws Exception {
        start();
        Matcher link = LINK.matcher(lab.out());
        assertThat(link.find()).isTrue();
        URI open = URI.create(link.group(1));
        assertThat(get(open.resolve("/"), "").getResponseCode()).isEqualTo(401);
        HttpURLConnection opened = get(open, "");
        assertThat(opened.getResponseCode()).isEqualTo(200);
        String cookie = opened.getHeaderField("Set-Cookie").split(";", 2)[0];
        try (InputStream page = get(open.resolve("/"), cookie).getInputStream()) {
            assertThat(new String(page.readAllBytes(), StandardCharsets.UTF_8)).contains("<title>Holdfast lab</title>");
        }
        lab.signal("TERM");
        assertThat(lab.exitCode()).isEqualTo(143);
        assertNothingIsLeft();
    }

    private static HttpURLConnection get(URI at, String cookie) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) at.toURL().openConnection();
        connection.setRequestProperty("Cookie", cookie);
        return connection;
    }

    @Test
    void killedItLeavesNothingNotEvenWhatIsFrozen() throws Exception {
        // Servers never notice that the lab is gone, and whoever is frozen notices nothing.
        start();
        for (ProcessHandle process : processes) {
            if (!isKeeper(process)) {
                Launched.signal("STOP", Long.toString(process.pid()));
            }
        }
        lab.signal("KILL");
        assertNothingIsLeft();
    }

    @Test
    void aTakenPortIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Launched refused = Launched.holdfast(directory, "lab", "--port", Integer.toString(taken.getLocalPort()));
            assertThat(refused.exitCode()).isEqualTo(69);
            assertThat(refused.err()).contains("Port " + taken.getLocalPort() + " of 127.0.0.1 cannot be opened");
        }
    }

    @Test
    void aPortThatIsNoneIsRefused() throws Exception {
        Launched refused = Launched.holdfast(directory, "lab", "--port", "70000");
        assertThat(refused.exitCode()).isEqualTo(64);
        assertThat(refused.err()).contains("--port is a number from 0 to 65535: 70000");
    }
}
