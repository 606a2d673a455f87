package dev.holdfast.etcd;

import static org.awaitility.Awaitility.await;

import dev.holdfast.tck.ServerPorts;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Real servers for the tests of one class, each a process of its own. They can be killed, frozen and started again. */
final class Servers implements BeforeAllCallback, AfterAllCallback {
    /** The folder of the programs, as ./verify has set it up. */
    private static final Path PROGRAMS = Path.of(System.getProperty("holdfast.etcd", ""));

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** What is asked again if there is no answer. */
    private static final List<String> BRIEFLY = List.of("--dial-timeout=2s", "--command-timeout=5s");

    /** What has to be done. */
    private static final List<String> PATIENTLY = List.of("--dial-timeout=60s", "--command-timeout=60s");

    /**
     * What a killed process has written is kept by the system. Waiting for the disk would only protect against the end of the
     * machine, and a slow disk makes members believe that their leader is dead. Old servers do not know the option.
     */
    private static final String NO_WAIT_FOR_DISK = "--unsafe-no-fsync";

    private final int size;
    private final List<String> options;
    private final int[] clientPorts;
    private final int[] peerPorts;
    private final Process[] processes;
    private Path folder;
    private boolean waitsForDisk;

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

    static Servers three(String... options) {
        return new Servers(3, List.of(options));
    }

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        folder = Files.createTempDirectory("holdfast-etcd");
        waitsForDisk = !knows(NO_WAIT_FOR_DISK);
        for (int i = 0; i < size; i++) {
            clientPorts[i] = ServerPorts.next();
            peerPorts[i] = ServerPorts.next();
        }
        for (int i = 0; i < size; i++) {
            start(i);
        }
        awaitHealthy();
    }

    private static boolean knows(String option) throws IOException, InterruptedException {
        return new ProcessBuilder(PROGRAMS.resolve("etcd").toString(), option, "--version")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
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
        if (!waitsForDisk) {
            command.add(NO_WAIT_FOR_DISK);
        }
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
                .atMost(PATIENCE)
                .until(() -> IntStream.range(0, size).allMatch(this::isHealthy));
    }

    /** Everybody who lives serves, with whoever leads now. */
    void awaitSurvivorsHealthy() {
        await("the members that are left serve")
                .atMost(PATIENCE)
                .until(() -> IntStream.range(0, size)
                        .filter(i -> processes[i].isAlive())
                        .allMatch(this::isHealthy));
    }

    private boolean isHealthy(int i) {
        return processes[i].isAlive() && run(i, BRIEFLY, "endpoint", "health").exit() == 0;
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
        await().atMost(PATIENCE).until(() -> {
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
        await("a leader").atMost(PATIENCE).until(() -> {
            for (int i = 0; i < size; i++) {
                String[] fields = run(i, BRIEFLY, "endpoint", "status").output().split(", ", -1);
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
        Ran ran = run(arguments);
        if (ran.exit() != 0) {
            throw new AssertionError(List.of(arguments) + ": " + ran.output());
        }
        return ran;
    }

    /** The same, whatever comes of it. */
    Ran run(String... arguments) {
        return run(0, PATIENTLY, arguments);
    }

    private Ran run(int i, List<String> limits, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                PROGRAMS.resolve("etcdctl").toString(),
                "--endpoints=" + (isEncrypted() ? "https://" : "") + "127.0.0.1:" + clientPorts[i]));
        command.addAll(limits);
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
            return new Ran(process.waitFor(), output.strip());
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
}
