package dev.holdfast.proving.client;

import dev.holdfast.proving.log.Event;
import dev.holdfast.proving.log.Kind;
import dev.holdfast.proving.log.LogWriter;
import dev.holdfast.proving.machine.StallWatch;
import dev.holdfast.proving.subject.HeldLock;
import dev.holdfast.proving.subject.LockClient;
import dev.holdfast.proving.subject.Subjects;
import dev.holdfast.proving.subject.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client: SUBJECT ID LEASE-MILLIS RESOURCE-PORT PORT... Orders come from standard input, a line each:
 *
 * <ul>
 *   <li>{@code start NAME SEED WAIT-MILLIS LOG} begins to ask for that lock over and over
 *   <li>{@code hold MILLIS} makes the next section last so long
 *   <li>{@code stop} ends with the section that is under way; answered by {@code stopped}
 *   <li>{@code probe NAME MILLIS} asks for the lock once, for at most so long; answered by {@code probed yes|no MILLIS}
 * </ul>
 *
 * It ends with its input.
 */
public final class ClientMain {
    private static final Duration WARM_UP = Duration.ofSeconds(30);

    private final String id;
    private final LockClient locks;
    private final ResourceClient resource;
    private final PrintStream out;
    private @Nullable Worker worker;
    private volatile @Nullable LogWriter log;

    private ClientMain(String id, LockClient locks, ResourceClient resource, PrintStream out) {
        this.id = id;
        this.locks = locks;
        this.resource = resource;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        // Whatever libraries print must not be taken for a report.
        System.setOut(System.err);
        Target target = new Target(
                Arrays.stream(arguments).skip(4).map(Integer::valueOf).toList(),
                Duration.ofMillis(Long.parseLong(arguments[2])));
        LockClient locks = Subjects.named(arguments[0]).connect(target);
        ClientMain client =
                new ClientMain(arguments[1], locks, new ResourceClient(Integer.parseInt(arguments[3])), out);
        StallWatch unused = new StallWatch(client::stalled);
        lookAtTheTime();
        client.warmUp(arguments[0]);
        out.println("ready");
        client.takeOrders();
        // What still runs or hangs ends with us.
        Runtime.getRuntime().halt(0);
    }

    /**
     * Takes a lock of its own once: a library connects and loads its classes with the first call, and that takes seconds on a busy machine.
     * Nobody is judged by that, also not a client that takes the place of another in the middle of a run. If it fails, the trial will show it.
     */
    private void warmUp(String subject) throws InterruptedException {
        Thread thread = new Thread(
                () -> {
                    boolean unused = isGiven("warm-up-" + subject + "-" + id, WARM_UP, System.nanoTime());
                },
                "warm-up");
        thread.setDaemon(true);
        thread.start();
        thread.join(WARM_UP.toMillis());
    }

    /** A clock of ours changes its rate when somebody asks for the time. Not every library does that often. */
    private static void lookAtTheTime() {
        Thread thread = new Thread(
                () -> {
                    while (System.currentTimeMillis() > 0) {
                        LockSupport.parkNanos(10_000_000);
                    }
                },
                "clock");
        thread.setDaemon(true);
        thread.start();
    }

    private void takeOrders() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "start" -> start(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]), Path.of(words[4]));
                case "hold" -> {
                    if (worker != null) {
                        worker.orderLongWork(Long.parseLong(words[1]));
                    }
                }
                case "stop" -> {
                    if (worker != null) {
                        worker.stop();
                    }
                }
                case "probe" -> probe(words[1], Long.parseLong(words[2]));
                default -> throw new IOException("Not an order: " + line);
            }
        }
    }

    private void start(String name, long seed, long waitMillis, Path file) throws IOException {
        LogWriter writer = new LogWriter(file);
        log = writer;
        Worker started = new Worker(
                locks, id, name, Duration.ofMillis(waitMillis), new Random(seed), writer, resource, this::report);
        worker = started;
        Thread thread = new Thread(started, "worker");
        thread.setDaemon(true);
        thread.start();
    }

    private void report(String line) {
        out.println(line);
        out.flush();
    }

    private void stalled(long from, long to) {
        LogWriter writer = log;
        if (writer != null) {
            writer.write(Event.of(to, Kind.STALL, id, 0, "from", from));
        }
    }

    /** On a thread of its own, because the lock belongs to a thread with some libraries, and because it may hang. */
    private void probe(String name, long millis) {
        Thread thread = new Thread(
                () -> {
                    long began = System.nanoTime();
                    boolean got = isGiven(name, Duration.ofMillis(millis), began);
                    report("probed " + (got ? "yes " : "no ") + (System.nanoTime() - began) / 1_000_000);
                },
                "probe");
        thread.setDaemon(true);
        thread.start();
    }

    private boolean isGiven(String name, Duration limit, long began) {
        while (true) {
            Duration left = limit.minusNanos(System.nanoTime() - began);
            if (left.isNegative()) {
                return false;
            }
            try {
                Optional<HeldLock> held = locks.acquire(name, left);
                if (held.isPresent()) {
                    boolean unused = held.get().release();
                    return true;
                }
                Thread.sleep(20);
            } catch (InterruptedException e) {
                return false;
            } catch (Exception e) {
                // Asked again until the limit.
                try {
                    Thread.sleep(100);
                } catch (InterruptedException interrupted) {
                    return false;
                }
            }
        }
    }
}
