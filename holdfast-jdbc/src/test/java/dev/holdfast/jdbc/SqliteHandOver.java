package dev.holdfast.jdbc;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program: how long a lock in a SQLite file takes from hand to hand when many wait for it, beside {@code flock} in the
 * same minute. Every waiter is a process.
 *
 * <p>Run it with the class path of the tests. Arguments: how many wait (50), for how many milliseconds each holds it (10).
 */
final class SqliteHandOver {
    private SqliteHandOver() {}

    public static void main(String[] arguments) throws Exception {
        int clients = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 50;
        int heldMillis = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 10;
        Path directory = Files.createTempDirectory("hand-over");
        for (int round = 0; round < 3; round++) {
            System.out.printf("flock:  %d waiters, %.1f ms each%n", clients, flock(directory, clients, heldMillis));
            sqlite(directory.resolve(round + ".db"), clients, heldMillis);
        }
    }

    private static void sqlite(Path file, int clients, int heldMillis) throws Exception {
        List<Process> waiting = new ArrayList<>();
        try (Holdfast first = Holdfast.over(JdbcBackend.sqlite(file))) {
            Lease held = first.lock("storm").acquire(Duration.ofSeconds(20));
            for (int i = 0; i < clients; i++) {
                waiting.add(start(file, heldMillis));
            }
            TimeUnit.SECONDS.sleep(3);
            long began = System.nanoTime();
            held.close();
            int failed = 0;
            String said = "";
            List<String> turns = new ArrayList<>();
            for (Process each : waiting) {
                String out = new String(each.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                if (each.waitFor() != 0) {
                    failed++;
                    said = out;
                } else {
                    turns.add(out.strip());
                }
            }
            report(turns);
            System.out.printf(
                    "SQLite: %d waiters, %.1f ms each, %d failed %s%n",
                    clients, (System.nanoTime() - began) / 1e6 / clients, failed, said);
        }
    }

    private static void report(List<String> turns) {
        List<long[]> times = turns.stream()
                .map(each -> Arrays.stream(each.split(" "))
                        .skip(1)
                        .mapToLong(Long::parseLong)
                        .toArray())
                .sorted(Comparator.comparingLong(each -> each[0]))
                .toList();
        List<Long> gaps = new ArrayList<>();
        List<Long> held = new ArrayList<>();
        List<Long> releases = new ArrayList<>();
        List<Long> handedOver = new ArrayList<>();
        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < times.size(); i++) {
            held.add(times.get(i)[2] - times.get(i)[1]);
            releases.add(times.get(i)[3] - times.get(i)[2]);
            if (i > 0) {
                gaps.add(times.get(i)[1] - times.get(i - 1)[2]);
                // A token is the time of its grant in microseconds, unless the counter is ahead of the clock.
                handedOver.add(times.get(i)[0] - times.get(i - 1)[2]);
                taken.add(times.get(i)[1] - times.get(i)[0]);
            }
        }
        System.out.printf(
                "        held %s, release call %s, from release to next %s, of which to the hand-over in the file %s and from"
                        + " there to the next %s (median, 90 %%, most; ms)%n",
                text(held), text(releases), text(gaps), text(handedOver), text(taken));
    }

    private static String text(List<Long> micros) {
        List<Long> sorted = micros.stream().sorted().toList();
        return String.format(
                "%.1f %.1f %.1f",
                sorted.get(sorted.size() / 2) / 1e3,
                sorted.get(sorted.size() * 9 / 10) / 1e3,
                sorted.get(sorted.size() - 1) / 1e3);
    }

    /** Comes back when it has asked. */
    private static Process start(Path file, int heldMillis) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx48m",
                        "-Xshare:auto",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
                        OneTurnProcess.class.getName(),
                        file.toString(),
                        "storm",
                        Integer.toString(heldMillis))
                .redirectErrorStream(true)
                .start();
        for (int each = process.getInputStream().read(); each >= 0 && each != '\n'; ) {
            each = process.getInputStream().read();
        }
        return process;
    }

    private static double flock(Path directory, int clients, int heldMillis) throws Exception {
        Path script = Files.writeString(
                directory.resolve("flock.sh"),
                "cd " + directory + "; exec 9>held; flock 9; for i in $(seq " + clients
                        + "); do flock held sleep 0." + String.format("%03d", heldMillis)
                        + " 9>&- & done; sleep 1; a=$(date +%s%N); flock -u 9; exec 9>&-; wait; b=$(date +%s%N);"
                        + " echo $(( (b - a) / 1000 ))\n");
        Process bash = new ProcessBuilder("bash", script.toString())
                .redirectErrorStream(true)
                .start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        return Long.parseLong(out) / 1000.0 / clients;
    }
}
