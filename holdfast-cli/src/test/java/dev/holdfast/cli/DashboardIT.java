package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.redis.testing.TlsStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** {@code holdfast dashboard}, as a process; its page in a browser is tested where it is made. */
@Timeout(600)
@ExtendWith(Launched.Cleanup.class)
class DashboardIT {
    @TempDir
    Path directory;

    private String at() {
        return "sqlite:" + directory.resolve("locks.db");
    }

    private static URI found(Launched console, String pattern) throws IOException {
        Matcher found = Pattern.compile(pattern).matcher(console.out());
        assertThat(found.find()).as(console.out() + console.err()).isTrue();
        return URI.create(found.group());
    }

    private static PlainHttp browser(URI page) {
        return new PlainHttp(page, SocketFactory.getDefault());
    }

    @Test
    void theLinkOpensThePageAndWhatIsBrokenThereIsRecorded() throws Exception {
        // A command holds a lock; the page shows it, breaks it, and the command is ended. A signal ends the page.
        Launched run = Launched.holdfast(
                        directory,
                        "run",
                        "--at",
                        at(),
                        "--lease",
                        "12s",
                        "night/a",
                        "--",
                        "sh",
                        "-c",
                        "echo ready; exec sleep 600")
                .untilOut("ready");
        Launched console =
                Launched.holdfast(directory, "dashboard", "--at", at()).untilOut("key=");
        URI link = found(console, "http://127\\.0\\.0\\.1:\\d+/open\\?key=\\S+");
        String open = link.getRawPath() + "?" + link.getRawQuery();
        PlainHttp browser = browser(link);
        assertThat(browser.get("/").status()).isEqualTo(401);
        assertThat(browser.get(open).status()).isEqualTo(200);
        assertThat(browser.get("/").text()).contains("Held locks");
        assertThat(browser(link).get(open).status()).isEqualTo(403);

        PlainHttp.Answer session = browser.get("/api/session");
        assertThat(session.text()).contains("\"readOnly\":false", "locks.db");
        String id = PlainHttp.field(browser.firstEvent("/events", "night/a"), "id");
        PlainHttp.Answer broken = browser.post("/api/break", session.field("token"), "id=" + id + "&typed=night%2Fa");
        assertThat(broken.status()).as(broken.text()).isEqualTo(200);
        console.untilOut("Broken: lock 'night/a'");
        assertThat(console.out()).contains("from 127.0.0.1", System.getProperty("user.name"));
        assertThat(run.exitCode()).isEqualTo(76);

        console.signal("TERM");
        assertThat(console.exitCode()).isEqualTo(143);
        assertThatThrownBy(() -> browser.get("/")).isInstanceOf(IOException.class);
    }

    @Test
    void whatIsBrokenIsRecordedAlsoIfNobodyReadsItAnyMore() throws Exception {
        // The reader of stdout goes after two lines. The record used to be written to nobody, and nothing was said.
        Launched run = Launched.holdfast(
                        directory,
                        "run",
                        "--at",
                        at(),
                        "--describe",
                        "x} innocent, process 1 on otherhost",
                        "password={",
                        "--",
                        "sh",
                        "-c",
                        "echo ready; exec sleep 600")
                .untilOut("ready");
        Launched console = Launched.start(
                directory,
                Map.of("HOLDFAST", Launched.LAUNCHER.toString(), "AT", at()),
                List.of(
                        "bash",
                        "-c",
                        "exec \"$HOLDFAST\" dashboard --at \"$AT\" > >(head -n 2 >&2; exec <&-; echo gone >&2)"));
        console.untilErr("gone");
        Matcher found =
                Pattern.compile("http://127\\.0\\.0\\.1:\\d+/open\\?key=\\S+").matcher(console.err());
        assertThat(found.find()).as(console.err()).isTrue();
        URI link = URI.create(found.group());
        PlainHttp browser = browser(link);
        assertThat(browser.get(link.getRawPath() + "?" + link.getRawQuery()).status())
                .isEqualTo(200);
        String token = browser.get("/api/session").field("token");
        String id = PlainHttp.field(browser.firstEvent("/events", "password={"), "id");
        assertThat(browser.post("/api/break", token, "id=" + id + "&typed=password%3D%7B")
                        .status())
                .isEqualTo(200);
        console.untilErr("Broken: lock");
        assertThat(console.err()).contains("The record cannot be written to stdout: Broken pipe");
        // No part of it hides another, however often it is masked on its way.
        assertThat(console.err())
                .containsPattern(
                        "lock 'password=\\*\\*\\*', tokens \\d.*, held by process \\d+ on '[^']+' \\('x\\} innocent, process 1 on otherhost'\\)\\. By ");
        assertThat(run.exitCode()).isEqualTo(76);
        console.signal("TERM");
        assertThat(console.exitCode()).isEqualTo(143);
    }

    @Test
    void beyondThisMachineItNeedsAPasswordAndSaysWhatIsOpen() throws Exception {
        Launched bare = Launched.holdfast(directory, "dashboard", "--at", at(), "--listen", "0.0.0.0");
        Path password = Files.writeString(directory.resolve("password"), "correct horse\n");
        Launched console = Launched.holdfast(
                        directory,
                        "dashboard",
                        "--at",
                        at(),
                        "--listen",
                        "0.0.0.0",
                        "--read-only",
                        "--password-file",
                        password.toString())
                .untilOut("key=");
        assertThat(bare.exitCode()).isEqualTo(64);
        assertThat(bare.err()).contains("lets others reach the page", "--password-file");

        console.untilErr("not encrypted");
        assertThat(console.err()).contains("everybody who can reach 0.0.0.0", "names, holders and descriptions");
        assertThat(console.out() + console.err()).doesNotContain("correct horse");
        PlainHttp browser = browser(found(console, "http://127\\.0\\.0\\.1:\\d+/"));
        assertThat(browser.post("/enter", "", "password=wrong").status()).isEqualTo(403);
        assertThat(browser.get("/").status()).isEqualTo(401);
        assertThat(browser.post("/enter", "", "password=correct+horse").status())
                .isEqualTo(200);
        PlainHttp.Answer session = browser.get("/api/session");
        assertThat(session.text()).contains("\"readOnly\":true");
        assertThat(browser.post("/api/break", session.field("token"), "id=x&typed=x")
                        .status())
                .isEqualTo(404);
        // Not INT, which whoever runs this build may ignore (a job in the background).
        console.signal("TERM");
        assertThat(console.exitCode()).isEqualTo(143);
    }

    @Test
    void aClientCertificateLetsInAndNothingElseDoes() throws Exception {
        Path keys = TlsStore.create(directory.resolve("keys.p12")).file();
        Path password = Files.writeString(directory.resolve("password"), TlsStore.PASSWORD);
        Launched console = Launched.holdfast(
                        directory,
                        "dashboard",
                        "--at",
                        at(),
                        "--key-store",
                        keys.toString(),
                        "--key-store-password-file",
                        password.toString(),
                        "--client-trust-store",
                        keys.toString(),
                        "--client-trust-store-password-file",
                        password.toString())
                .untilOut("https://");
        assertThat(console.out()).doesNotContain("key=");
        URI page = found(console, "https://127\\.0\\.0\\.1:\\d+/");
        PlainHttp.Answer session = new PlainHttp(page, encrypted(keys, true)).get("/api/session");
        assertThat(session.field("who")).isEqualTo("CN=localhost");
        assertThat(session.text()).contains("; Secure");
        assertThat(answerTo(new PlainHttp(page, encrypted(keys, false)))).isEmpty();
    }

    /** Without a certificate the connection ends, with an alert or without. */
    private static String answerTo(PlainHttp stranger) {
        try {
            return stranger.get("/").text();
        } catch (IOException refused) {
            return "";
        }
    }

    private static SocketFactory encrypted(Path file, boolean showsCertificate) throws Exception {
        KeyStore store = KeyStore.getInstance(file.toFile(), TlsStore.PASSWORD.toCharArray());
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, TlsStore.PASSWORD.toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(showsCertificate ? keys.getKeyManagers() : null, trusted.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    @Test
    void whatCannotWorkIsSaidAtOnce() throws Exception {
        Launched store = Launched.holdfast(directory, "dashboard", "--at", "redis://127.0.0.1:1");
        Launched trust = Launched.holdfast(directory, "dashboard", "--at", at(), "--client-trust-store", "x");
        Launched password = Launched.holdfast(directory, "dashboard", "--at", at(), "--password-file", "none");
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Launched port = Launched.holdfast(
                    directory, "dashboard", "--at", at(), "--port", Integer.toString(taken.getLocalPort()));
            assertThat(port.exitCode()).isEqualTo(69);
            assertThat(port.err()).contains("Port " + taken.getLocalPort() + " of 127.0.0.1 cannot be opened");
        }
        assertThat(store.exitCode()).isEqualTo(69);
        assertThat(store.err()).contains("redis://127.0.0.1:1");
        assertThat(trust.exitCode()).isEqualTo(64);
        assertThat(trust.err()).contains("--client-trust-store needs --key-store");
        assertThat(password.exitCode()).isEqualTo(64);
        assertThat(password.err()).contains("The password cannot be read from none: there is no such file.");
    }
}
