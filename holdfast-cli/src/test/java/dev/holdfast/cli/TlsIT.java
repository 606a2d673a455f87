package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.demo.RedisServers;
import dev.holdfast.redis.testing.RedisCluster;
import dev.holdfast.redis.testing.StubServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted connections from the command line, to servers that want to see a certificate. */
@ExtendWith(Launched.Cleanup.class)
class TlsIT {
    private static final String TRUST = "?trustStore=server-trust.p12&trustStorePassword=s3cret-server";
    private static final String OWN = "&keyStore=client.p12&keyStorePassword=s3cret-client";

    @TempDir
    Path directory;

    @TempDir
    static Path keys;

    /** A key of each in who.p12, and the certificate of it in who-trust.p12. Once for all: each takes a JVM. */
    @BeforeAll
    static void makeKeys() throws Exception {
        for (String who : List.of("server", "client", "stranger")) {
            makeKey(who);
        }
    }

    private static void makeKey(String who) throws Exception {
        char[] password = ("s3cret-" + who).toCharArray();
        Path log = keys.resolve("keytool.log");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        who,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + who,
                        "-ext",
                        // ZooKeeper's client looks up the name of an address, and asks for that.
                        "san=ip:127.0.0.1,dns:localhost",
                        "-keystore",
                        keys.resolve(who + ".p12").toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(password),
                        "-validity",
                        "30")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(keytool.waitFor()).as(Files.readString(log)).isZero();
        KeyStore own = KeyStore.getInstance(keys.resolve(who + ".p12").toFile(), password);
        KeyStore trust = KeyStore.getInstance("PKCS12");
        trust.load(null, null);
        trust.setCertificateEntry(who, own.getCertificate(who));
        try (OutputStream out = Files.newOutputStream(keys.resolve(who + "-trust.p12"))) {
            trust.store(out, password);
        }
    }

    /** Where the commands look for them. */
    @BeforeEach
    void copyKeys() throws IOException {
        try (Stream<Path> files = Files.list(keys)) {
            for (Path file : files.toList()) {
                Files.copy(file, directory.resolve(file.getFileName()));
            }
        }
    }

    private KeyStore keys(String file, String password) throws Exception {
        return KeyStore.getInstance(directory.resolve(file).toFile(), password.toCharArray());
    }

    /** In front of a server that knows no TLS: wants a certificate, and passes on what is said. */
    private final class Door implements AutoCloseable {
        final SSLServerSocket socket;
        private final int behind;

        Door(int behind) throws Exception {
            this.behind = behind;
            KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            own.init(keys("server.p12", "s3cret-server"), "s3cret-server".toCharArray());
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(keys("client-trust.p12", "s3cret-client"));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
            socket = (SSLServerSocket)
                    context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
            socket.setNeedClientAuth(true);
            daemon(this::serve);
        }

        private void serve() {
            try {
                while (true) {
                    Socket visitor = socket.accept();
                    Socket server = new Socket(InetAddress.getLoopbackAddress(), behind);
                    daemon(() -> pass(visitor, server));
                    daemon(() -> pass(server, visitor));
                }
            } catch (IOException over) {
                return;
            }
        }

        private void pass(Socket from, Socket to) {
            try (from;
                    to;
                    InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                in.transferTo(out);
            } catch (IOException refusedOrOver) {
                return;
            }
        }

        private void daemon(Runnable task) {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            thread.start();
        }

        String address() {
            return "127.0.0.1:" + socket.getLocalPort();
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void aClientCertificateIsSent() throws Exception {
        // There was no way to give one: a server that asked for it could not be used from the command line.
        try (RedisServers redis = RedisServers.start(1);
                Door door = new Door(Integer.parseInt(redis.redisUrl().replaceFirst(".*:", "")))) {
            String url = "rediss://" + door.address() + "/0";
            Launched good = Launched.holdfast(directory, "run", "--at", url + TRUST + OWN, "a", "--", "echo", "ran");
            assertThat(good.exitCode()).as(good.err()).isZero();
            assertThat(good.out()).isEqualTo("ran\n");
            Launched list = Launched.holdfast(directory, "ls", "--at", url + TRUST + OWN);
            assertThat(list.exitCode()).as(list.err()).isZero();
            for (String wrong : List.of(
                    // No certificate, a wrong one, and nobody trusts the server.
                    TRUST, TRUST + "&keyStore=stranger.p12&keyStorePassword=s3cret-stranger", "?" + OWN.substring(1))) {
                Launched refused = Launched.holdfast(directory, "ls", "--at", url + wrong);
                assertThat(refused.exitCode()).as(wrong + refused.out()).isEqualTo(69);
                assertThat(refused.err()).contains(door.address()).doesNotContain("s3cret", "\tat ");
            }
            Launched missing = Launched.holdfast(directory, "ls", "--at", url + "?keyStore=nowhere.p12");
            assertThat(missing.exitCode()).isEqualTo(64);
            assertThat(missing.err()).contains("key store nowhere.p12 cannot be read");
            Launched plain = Launched.holdfast(directory, "ls", "--at", redis.redisUrl() + "/0" + TRUST);
            assertThat(plain.exitCode()).isEqualTo(64);
            assertThat(plain.err()).contains("needs TLS", "rediss://");
        }
    }

    private void requireOnlyWithACertificate(String url, String trust, String own) throws Exception {
        Launched good = Launched.holdfast(directory, "run", "--at", url + trust + own, "a", "--", "echo", "ran");
        assertThat(good.exitCode()).as(good.err()).isZero();
        assertThat(good.out()).isEqualTo("ran\n");
        Launched refused =
                Launched.holdfast(directory, "run", "--no-wait", "--at", url + trust, "a", "--", "echo", "ran");
        assertThat(refused.exitCode()).as(refused.out()).isEqualTo(69);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).doesNotContain("s3cret", "\tat ");
    }

    @Test
    void aQuorumIsReachedWithACertificate() throws Exception {
        // There was no encryption for a quorum at all.
        try (RedisServers redis = RedisServers.start(3);
                Door one = new Door(port(redis, 0));
                Door two = new Door(port(redis, 1));
                Door three = new Door(port(redis, 2))) {
            String url = "redlocks://" + one.address() + "," + two.address() + "," + three.address();
            Launched init = Launched.holdfast(directory, "init", url + TRUST + OWN);
            assertThat(init.exitCode()).as(init.err()).isZero();
            requireOnlyWithACertificate(url, TRUST, OWN);
        }
    }

    @Test
    void aClusterIsReachedWithACertificate() throws Exception {
        // Its servers name the doors to each other's clients.
        try (RedisCluster cluster = RedisCluster.withoutReplicas().start();
                Door one = new Door(cluster.servers().get(0).port());
                Door two = new Door(cluster.servers().get(1).port());
                Door three = new Door(cluster.servers().get(2).port())) {
            List<Door> doors = List.of(one, two, three);
            for (int i = 0; i < 3; i++) {
                String port = Integer.toString(doors.get(i).socket.getLocalPort());
                cluster.servers().get(i).call("CONFIG", "SET", "cluster-announce-port", port);
            }
            RedisCluster.await(
                    "everybody names the doors",
                    () -> cluster.servers().stream()
                            .map(each -> each.text("CLUSTER", "NODES"))
                            .allMatch(nodes -> doors.stream().map(Door::address).allMatch(nodes::contains)));
            String url = "rediss+cluster://" + one.address() + "," + two.address();
            requireOnlyWithACertificate(url, TRUST, OWN);
            requireGuards(url + TRUST + OWN);
        }
    }

    private void requireGuards(String url) throws Exception {
        Launched guard = Launched.holdfast(directory, "fence", "show", "--json", "--at", url, "account:7");
        assertThat(guard.exitCode()).as(guard.err()).isZero();
        assertThat(guard.out()).contains("\"used\":false");
    }

    @Test
    void sentinelsAndTheirMasterAreReachedWithACertificate() throws Exception {
        // A stub, because a real sentinel names the port that it watches, and does not speak TLS with it.
        try (RedisServers redis = RedisServers.start(1);
                Door master = new Door(port(redis, 0));
                StubServer sentinel = new StubServer(command -> sentinelAnswer(command, master));
                Door door = new Door(Integer.parseInt(sentinel.url().replaceFirst(".*:", "")))) {
            String url = "rediss+sentinel://" + door.address() + "/shop";
            requireOnlyWithACertificate(url, TRUST, OWN);
            requireGuards(url + TRUST + OWN);
            Launched plain = Launched.holdfast(directory, "ls", "--at", url.replace("rediss", "redis") + TRUST);
            assertThat(plain.exitCode()).isEqualTo(64);
            assertThat(plain.err()).contains("needs TLS", "rediss+sentinel://");
        }
    }

    private static String sentinelAnswer(String command, Door master) {
        String port = Integer.toString(master.socket.getLocalPort());
        return switch (command) {
            case "SENTINEL" -> "*2\r\n$9\r\n127.0.0.1\r\n$" + port.length() + "\r\n" + port;
            case "HELLO" -> "-ERR unknown command";
            default -> "+OK";
        };
    }

    private static int port(RedisServers redis, int index) {
        String address = redis.redlockUrl().substring("redlock://".length()).split(",", -1)[index];
        return Integer.parseInt(address.replaceFirst(".*:", ""));
    }

    @Test
    void zooKeeperIsReachedWithACertificate() throws Exception {
        // The jars that its client needs for it were not in the application.
        try (TestingServer server = new TestingServer();
                Door door = new Door(server.getPort())) {
            requireOnlyWithACertificate("zookeeper+tls://" + door.address(), TRUST + "&tickTime=1s", OWN);
        }
    }
}
