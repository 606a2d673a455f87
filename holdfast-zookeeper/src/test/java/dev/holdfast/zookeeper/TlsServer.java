package dev.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.tck.OtherJvm;
import dev.holdfast.tck.ServerPorts;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A server in a process of its own that speaks TLS only and asks for certificates, all made by the JDK's keytool. */
final class TlsServer implements BeforeAllCallback, AfterAllCallback {
    static final String PASSWORD = "pass+word@1";

    private Path folder;
    private Process process;
    private int port;

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        folder = Files.createTempDirectory("holdfast-zookeeper-tls");
        makeKey("server", "CN=localhost", "SAN=dns:localhost");
        makeKey("client", "CN=app", "SAN=dns:app");
        makeKey("stranger", "CN=stranger", "SAN=dns:stranger");
        trust("server", "client");
        trust("client", "server");
        port = ServerPorts.next();
        Files.write(
                folder.resolve("zoo.cfg"),
                List.of(
                        "tickTime=" + Server.TICK_MILLIS,
                        "maxSessionTimeout=60000",
                        "dataDir=" + folder,
                        "secureClientPort=" + port,
                        "secureClientPortAddress=127.0.0.1",
                        "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
                        "ssl.keyStore.location=" + store("server"),
                        "ssl.keyStore.password=" + PASSWORD,
                        "ssl.trustStore.location=" + store("server-trust"),
                        "ssl.trustStore.password=" + PASSWORD,
                        "ssl.hostnameVerification=false",
                        "admin.enableServer=false",
                        "forceSync=no"));
        process = OtherJvm.of(
                        QuorumPeerMain.class,
                        TlsServer.class,
                        List.of(folder.resolve("zoo.cfg").toString()))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        await("the server listens").atMost(Duration.ofMinutes(2)).until(this::listens);
    }

    String address() {
        return "localhost:" + port;
    }

    /** The same server under an address that is not in its certificate. */
    String numericAddress() {
        return "127.0.0.1:" + port;
    }

    /** A key store or a trust store: {@code server}, {@code client}, {@code stranger}, {@code client-trust}. */
    String store(String name) {
        return folder.resolve(name + ".p12").toString();
    }

    private void makeKey(String name, String subject, String extension) throws Exception {
        keytool(
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                "RSA",
                "-keysize",
                "2048",
                "-validity",
                "30",
                "-dname",
                subject,
                "-ext",
                extension,
                "-storetype",
                "PKCS12",
                "-keystore",
                store(name),
                "-storepass",
                PASSWORD);
    }

    private void trust(String who, String whom) throws Exception {
        String certificate = folder.resolve(whom + ".cer").toString();
        keytool("-exportcert", "-alias", whom, "-keystore", store(whom), "-storepass", PASSWORD, "-file", certificate);
        keytool(
                "-importcert",
                "-noprompt",
                "-alias",
                whom,
                "-file",
                certificate,
                "-storetype",
                "PKCS12",
                "-keystore",
                store(who + "-trust"),
                "-storepass",
                PASSWORD);
    }

    private static void keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(keytool.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).as(said).isZero();
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        process.destroyForcibly().waitFor();
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(File::delete);
        }
    }
}
