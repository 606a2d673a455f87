package dev.holdfast.zookeeper;

import static org.awaitility.Awaitility.await;

import dev.holdfast.tck.OtherJvm;
import dev.holdfast.tck.ServerPorts;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.zookeeper.server.quorum.QuorumPeerMain;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Three real servers, each a process of its own. Each reaches the others through proxies, so that it can be cut off. */
final class Ensemble implements BeforeAllCallback, AfterAllCallback {
    static final int SIZE = 3;

    private final int[] clientPorts = new int[SIZE];
    private final int[] quorumPorts = new int[SIZE];
    private final int[] electionPorts = new int[SIZE];
    private final Process[] processes = new Process[SIZE];
    private final Path[] folders = new Path[SIZE];
    /** From the first index to the second. */
    private final Proxy[][] toQuorum = new Proxy[SIZE][SIZE];

    private final Proxy[][] toElection = new Proxy[SIZE][SIZE];
    private final List<Front> fronts = new ArrayList<>();

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        for (int i = 0; i < SIZE; i++) {
            clientPorts[i] = ServerPorts.next();
            quorumPorts[i] = ServerPorts.next();
            electionPorts[i] = ServerPorts.next();
        }
        for (int i = 0; i < SIZE; i++) {
            folders[i] = Files.createTempDirectory("holdfast-zookeeper");
            for (int j = 0; j < SIZE; j++) {
                if (i != j) {
                    toQuorum[i][j] = new Proxy(quorumPorts[j], true);
                    toElection[i][j] = new Proxy(electionPorts[j], true);
                }
            }
            writeConfiguration(i);
            start(i);
        }
        awaitLeader();
    }

    private void writeConfiguration(int i) throws IOException {
        Files.writeString(folders[i].resolve("myid"), Integer.toString(i + 1));
        List<String> lines = new ArrayList<>(List.of(
                "tickTime=" + Server.TICK_MILLIS,
                "initLimit=50",
                "syncLimit=" + Server.SYNC_LIMIT,
                "maxSessionTimeout=60000",
                "dataDir=" + folders[i],
                "clientPort=" + clientPorts[i],
                "clientPortAddress=127.0.0.1",
                "admin.enableServer=false",
                "4lw.commands.whitelist=*",
                // Servers get killed here, machines do not.
                "forceSync=no",
                "standaloneEnabled=false"));
        for (int j = 0; j < SIZE; j++) {
            int quorum = i == j ? quorumPorts[j] : toQuorum[i][j].port();
            int election = i == j ? electionPorts[j] : toElection[i][j].port();
            lines.add("server." + (j + 1) + "=127.0.0.1:" + quorum + ":" + election);
        }
        Files.write(folders[i].resolve("zoo.cfg"), lines);
    }

    void start(int i) throws IOException {
        File log = folders[i].resolve("log").toFile();
        processes[i] = OtherJvm.of(
                        QuorumPeerMain.class,
                        Ensemble.class,
                        List.of(folders[i].resolve("zoo.cfg").toString()))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start();
    }

    void kill(int i) throws InterruptedException {
        processes[i].destroyForcibly().waitFor();
    }

    /** Everybody runs, reaches everybody and serves. */
    void heal() throws IOException {
        for (int i = 0; i < SIZE; i++) {
            for (int j = 0; j < SIZE; j++) {
                if (i != j) {
                    toQuorum[i][j].thaw();
                    toElection[i][j].thaw();
                }
            }
            if (!processes[i].isAlive()) {
                start(i);
            }
        }
        for (Front front : fronts) {
            front.close();
        }
        fronts.clear();
        await("all serve")
                .atMost(Duration.ofSeconds(150))
                .until(() -> IntStream.range(0, SIZE).noneMatch(i -> mode(i).isEmpty()));
    }

    /** Between this server and the others nothing is carried any more, and no connection breaks. */
    void cutOff(int i) {
        for (int j = 0; j < SIZE; j++) {
            if (i != j) {
                Stream.of(toQuorum[i][j], toQuorum[j][i], toElection[i][j], toElection[j][i])
                        .forEach(Proxy::freeze);
            }
        }
    }

    int awaitLeader() {
        int[] found = {-1};
        await("a leader").atMost(Duration.ofMinutes(2)).until(() -> {
            found[0] = IntStream.range(0, SIZE)
                    .filter(i -> mode(i).equals("leader"))
                    .findFirst()
                    .orElse(-1);
            return found[0] >= 0;
        });
        return found[0];
    }

    /** leader, follower, or nothing if it does not serve. */
    private String mode(int i) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), clientPorts[i])) {
            socket.setSoTimeout(2000);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            String said = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            return said.lines()
                    .filter(line -> line.startsWith("Mode: "))
                    .map(line -> line.substring("Mode: ".length()))
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    /** All of them, directly. */
    String address() {
        return IntStream.of(clientPorts).mapToObj(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
    }

    /** A way of its own to these servers, for one client. */
    Front front(Integer... servers) throws IOException {
        Front front = new Front(List.of(servers));
        fronts.add(front);
        return front;
    }

    final class Front {
        private final List<Integer> servers;
        private final List<Proxy> proxies = new ArrayList<>();

        Front(List<Integer> servers) throws IOException {
            this.servers = servers;
            for (int server : servers) {
                proxies.add(new Proxy(clientPorts[server], false));
            }
        }

        String address() {
            return proxies.stream().map(proxy -> "127.0.0.1:" + proxy.port()).collect(Collectors.joining(","));
        }

        /** Which server the client is connected to. */
        int server() {
            int[] found = {-1};
            await("a connection").atMost(Duration.ofSeconds(60)).until(() -> {
                found[0] = IntStream.range(0, proxies.size())
                        .filter(i -> proxies.get(i).isUsed())
                        .findFirst()
                        .orElse(-1);
                return found[0] >= 0;
            });
            return servers.get(found[0]);
        }

        void freeze() {
            proxies.forEach(Proxy::freeze);
        }

        void thaw() {
            proxies.forEach(Proxy::thaw);
        }

        void close() throws IOException {
            for (Proxy proxy : proxies) {
                proxy.close();
            }
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        for (Front front : fronts) {
            front.close();
        }
        for (int i = 0; i < SIZE; i++) {
            kill(i);
            for (int j = 0; j < SIZE; j++) {
                if (i != j) {
                    toQuorum[i][j].close();
                    toElection[i][j].close();
                }
            }
            try (Stream<Path> files = Files.walk(folders[i])) {
                files.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(File::delete);
            }
        }
    }
}
