package dev.holdfast.lab.client;

import dev.holdfast.LockUnavailableException;
import dev.holdfast.lab.wire.Lane;
import dev.holdfast.lab.wire.Message;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The program of a client process. Reads orders from standard input, tells what happens on standard output, and ends with its
 * input: no client outlives the lab.
 */
public final class ClientMain {
    private static final long REPORT_EVERY_MILLIS = 150;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final String name;
    private final Reports reports;
    /** Replaced by the thread that reads the orders; the one that reports what is left reads it. */
    private volatile Map<Lane, LaneWorker> workers = Map.of();

    private @Nullable Account account;

    private ClientMain(String name, Reports reports) {
        this.name = name;
        this.reports = reports;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = System.out;
        // What a library prints must not be taken for a report.
        System.setOut(System.err);
        ClientMain client = new ClientMain(arguments[0], new Reports(out));
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(Daemons::thread);
        var unused = timer.scheduleWithFixedDelay(
                client::reportWhatIsLeft, REPORT_EVERY_MILLIS, REPORT_EVERY_MILLIS, TimeUnit.MILLISECONDS);
        try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            client.reports.tell("started");
            for (String line = orders.readLine(); line != null; line = orders.readLine()) {
                client.obey(Message.parse(line));
            }
        } finally {
            // At once: nobody is there any more to whom an orderly end would matter.
            Runtime.getRuntime().halt(0);
        }
    }

    private void obey(Message order) {
        try {
            switch (order.what()) {
                case "connect" -> connect(order);
                case "disconnect" -> {
                    disconnect();
                    reports.tell("disconnected");
                }
                default -> {
                    LaneWorker worker = workers.get(order.lane());
                    if (worker == null) {
                        throw new IllegalStateException("This client is not connected");
                    }
                    worker.obey(order);
                }
            }
        } catch (RuntimeException e) {
            reports.tell("failed", "why", order.what() + ": " + e);
        }
    }

    private void connect(Message order) {
        disconnect();
        Duration maxLease = Duration.ofMillis(order.number("lease"));
        List<Integer> ports = Stream.of(order.text("ports").split(",", -1))
                .map(Integer::valueOf)
                .toList();
        Account opened = new Account(name, Math.toIntExact(order.number("account")));
        account = opened;
        HoldfastLock quorum = connect(order.text("url"), maxLease);
        PlainLock plain = new PlainLock(name, ports, reports);
        workers = Map.of(
                Lane.HOLDFAST, new LaneWorker(Lane.HOLDFAST, quorum, opened, reports),
                Lane.PLAIN, new LaneWorker(Lane.PLAIN, plain, opened, reports));
        reports.tell("connected");
    }

    /** The servers are there, or will be: a JVM that has just started on a busy machine may need more than one attempt. */
    private HoldfastLock connect(String url, Duration maxLease) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                return new HoldfastLock(name, url, maxLease, reports);
            } catch (LockUnavailableException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
            }
        }
    }

    private void disconnect() {
        workers.values().forEach(LaneWorker::close);
        workers = Map.of();
        if (account != null) {
            account.close();
            account = null;
        }
    }

    private void reportWhatIsLeft() {
        workers.values().forEach(LaneWorker::reportWhatIsLeft);
    }
}
