package dev.holdfast.benchmarks.sidebyside;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * One client in a process of its own, told what to do line by line. Every tenure is reported with the moments at which it began
 * and ended: on Linux and macOS {@code System.nanoTime} is the same clock in all processes.
 */
final class Worker implements AutoCloseable {
    /**
     * One tenure at the lock that all want.
     *
     * @param askedNanos when the thread began to wait for it
     */
    record Tenure(long askedNanos, long heldNanos, long letGoNanos) {}

    private final Process process;
    private final BufferedReader answers;

    Worker(Peer peer, List<String> urls) {
        String java = System.getProperty("java.home") + "/bin/java";
        List<String> command = new ArrayList<>(List.of(
                java, "-cp", System.getProperty("java.class.path"), "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"));
        command.addAll(List.of(Worker.class.getName(), peer.name()));
        command.addAll(urls);
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Returns once it is connected and has locked something. */
    void awaitReady() throws IOException {
        String line = answers.readLine();
        if (!"ready".equals(line)) {
            throw new IOException("A worker did not start: " + line);
        }
    }

    void start(int threads, long holdNanos, double seconds) throws IOException {
        process.outputWriter(StandardCharsets.UTF_8)
                .append(threads + " " + holdNanos + " " + seconds + "\n")
                .flush();
    }

    List<Tenure> tenures() throws IOException {
        List<Tenure> tenures = new ArrayList<>();
        for (String line = answers.readLine(); !"end".equals(line); line = answers.readLine()) {
            if (line == null) {
                throw new IOException("A worker ended in the middle of a round");
            }
            String[] parts = line.split(" ", -1);
            tenures.add(new Tenure(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2])));
        }
        return tenures;
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }

    public static void main(String[] arguments) throws Exception {
        List<String> urls = List.of(arguments).subList(1, arguments.length);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Peer.Client client = Peers.named(arguments[0]).connect(urls)) {
            client.lock("warm-up-" + ProcessHandle.current().pid()).unlock();
            System.out.println("ready");
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                String[] parts = order.split(" ", -1);
                report(new Shift(client, Integer.parseInt(parts[0]), Long.parseLong(parts[1]))
                        .work(Double.parseDouble(parts[2])));
            }
        }
        // Libraries leave threads behind.
        System.exit(0);
    }

    private static void report(List<Tenure> tenures) {
        StringBuilder text = new StringBuilder();
        for (Tenure each : tenures) {
            text.append(each.askedNanos()).append(' ').append(each.heldNanos()).append(' ');
            text.append(each.letGoNanos()).append('\n');
        }
        System.out.print(text.append("end\n"));
        System.out.flush();
    }
}
