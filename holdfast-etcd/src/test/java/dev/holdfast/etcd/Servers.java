package dev.holdfast.etcd;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Real servers for the tests of one class, each a process of its own. They can be killed, frozen and started again. */
final class Servers implements BeforeAllCallback, AfterAllCallback {
    /** Open for as long as this process runs. */
    private static final Set<DatagramSocket> RESERVED = ConcurrentHashMap.newKeySet();

    /** The folder of the programs, as ./verify has set it up. */
    private static final Path PROGRAMS = Path.of(System.getProperty("holdfast.etcd", ""));

    private final int size;
    private final List<String> options;
    private final int[] clientPorts;
    private final int[] peerPorts;
    private final Process[] processes;
    private Path folder;

    private Servers(int size, List<String> options) {
        this.size = size;
        this.options = options;
        this.clientPorts = new int[size];
        this.peerPorts = new int[size];
        this.processes = new Process[size];
    }

    static Servers one(String... options) {
        return new Servers(1, List.of(options));
    }

    /** One that is encrypted, and lets in whoever shows the same certificate. */
    static Servers encrypted(KeyFiles files) {
        return one(
                "--cert-file=" + files.certificate(),
                "--key-file=" + files.key(),
                "--trusted-ca-file=" + files.certificate(),
                "--client-cert-auth");
    }

    static Servers three() {
        return new Servers(3, List.of());
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        folder = Files.createTempDirectory("holdfast-etcd");
        for (int i = 0; i < size; i++) {
            clientPorts[i] = freePort();
            peerPorts[i] = freePort();
        }
        for (int i = 0; i < size; i++) {
            start(i);
        }
        awaitHealthy();
    }

    /** Begins, or begins again with the data that it had. */
    void start(int i) throws IOException {
        String scheme = isEncrypted() ? "https" : "http";
        List<String> command = new ArrayList<>(List.of(
                PROGRAMS.resolve("etcd").toString(),
                "--name=m" + i,
                "--data-dir=" + folder.resolve("data" + i),
                "--listen-client-urls=" + scheme + "://127.0.0.1:" + clientPorts[i],
                "--advertise-client-urls=" + scheme + "://127.0.0.1:" + clientPorts[i],
                "--listen-peer-urls=http://127.0.0.1:" + peerPorts[i],
                "--initial-advertise-peer-urls=http://127.0.0.1:" + peerPorts[i],
                "--initial-cluster="
                        + IntStream.range(0, size)
                                .mapToObj(each -> "m" + each + "=http://127.0.0.1:" + peerPorts[each])
                                .collect(Collectors.joining(","))));
        command.addAll(options);
        processes[i] = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("log" + i).toFile()))
                .start();
    }

    private boolean isEncrypted() {
        return options.contains("--client-cert-auth");
    }

    void awaitHealthy() {
        await("all members serve")
                .atMost(Duration.ofSeconds(60))
                .until(() -> IntStream.range(0, size).allMatch(this::isHealthy));
    }

    private boolean isHealthy(int i) {
        return processes[i].isAlive() && run(i, "endpoint", "health").exit() == 0;
    }

    void kill(int i) throws InterruptedException {
        processes[i].destroyForcibly().waitFor();
    }

    /** The whole process stands still; its connections stay. */
    void freeze(int i) throws Exception {
        freeze(processes[i]);
    }

    /** Returns when it does nothing any more: on a busy machine its threads run on for a while after the signal. */
    static void freeze(Process process) throws Exception {
        signal("-STOP", process);
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            try (Stream<Path> all = Files.list(threads)) {
                return all.allMatch(Servers::isStopped);
            }
        });
    }

    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            // The state follows the name of the thread, which stands in brackets.
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException ended) {
            return false;
        }
    }

    void thaw(int i) throws Exception {
        thaw(processes[i]);
    }

    static void thaw(Process process) throws Exception {
        signal("-CONT", process);
    }

    private static void signal(String signal, Process process) throws Exception {
        new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
    }

    /** Everybody runs and serves. */
    void heal() throws Exception {
        for (int i = 0; i < size; i++) {
            thaw(i);
            if (!processes[i].isAlive()) {
                start(i);
            }
        }
        awaitHealthy();
    }

    int leader() {
        int[] found = {-1};
        await("a leader").atMost(Duration.ofSeconds(60)).until(() -> {
            for (int i = 0; i < size; i++) {
                String[] fields = run(i, "endpoint", "status").output().split(", ", -1);
                if (processes[i].isAlive() && fields.length > 4 && fields[4].equals("true")) {
                    found[0] = i;
                }
            }
            return found[0] >= 0;
        });
        return found[0];
    }

    int size() {
        return size;
    }

    /** All of them. */
    String url() {
        return url(IntStream.range(0, size).toArray());
    }

    String url(int... members) {
        return "etcd://" + addresses(members);
    }

    String addresses(int... members) {
        return IntStream.of(members)
                .mapToObj(i -> "127.0.0.1:" + clientPorts[i])
                .collect(Collectors.joining(","));
    }

    int port(int i) {
        return clientPorts[i];
    }

    record Ran(int exit, String output) {}

    /** etcd's own command line, as an operator or a neighbour uses it. */
    Ran etcdctl(String... arguments) {
        Ran ran = run(0, arguments);
        if (ran.exit() != 0) {
            throw new AssertionError(List.of(arguments) + ": " + ran.output());
        }
        return ran;
    }

    Ran run(int i, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                PROGRAMS.resolve("etcdctl").toString(),
                "--endpoints=" + (isEncrypted() ? "https://" : "") + "127.0.0.1:" + clientPorts[i],
                "--dial-timeout=1s",
                "--command-timeout=3s"));
        if (isEncrypted()) {
            // The same files as for the server, whose options name them.
            command.add(options.get(0).replace("--cert-file", "--cert"));
            command.add(options.get(1).replace("--key-file", "--key"));
            command.add(options.get(2).replace("--trusted-ca-file", "--cacert"));
        }
        command.addAll(List.of(arguments));
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().put("ETCDCTL_API", "3");
            Process process = builder.start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor(20, TimeUnit.SECONDS);
            return new Ran(process.exitValue(), output.strip());
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        for (int i = 0; i < size; i++) {
            if (processes[i] != null) {
                kill(i);
            }
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted((a, b) -> b.compareTo(a)).map(Path::toFile).forEach(File::delete);
        }
    }

    /** Below the ports that the system lends to whoever connects, and never the same twice in this process. */
    private static int freePort() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 32_000);
            if (reserve(port) && isFree(port)) {
                return port;
            }
        }
    }

    /** Datagrams have ports of their own: whoever has that one, in whatever process, may have the other. */
    private static boolean reserve(int port) {
        try {
            RESERVED.add(new DatagramSocket(port, InetAddress.getLoopbackAddress()));
            return true;
        } catch (SocketException taken) {
            return false;
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port)) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
