package dev.holdfast.redis;

import dev.holdfast.Candidacy;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.testing.Patient;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes part in elections; arguments: the URL, the lease in milliseconds, the names. Prints {@code started NAME TOKEN NANOS} when it leads
 * and {@code told NAME TOKEN NANOS} when its task is interrupted, by the monotonic clock that all processes of the machine share. On the
 * line {@code resign} all resign; at the end of its input it ends. Prints {@code stalled FROM UNTIL} if its threads were kept waiting for
 * a core for so long.
 */
public final class CandidateProcess {
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private CandidateProcess() {}

    public static void main(String[] args) throws Exception {
        Duration lease = Duration.ofMillis(Long.parseLong(args[1]));
        noteStalls();
        noteStalls();
        try (Holdfast holdfast = Holdfast.over(Patient.connect(() -> RedisBackend.connect(args[0])))) {
            List<Candidacy> candidacies = new ArrayList<>();
            for (String name : List.of(args).subList(2, args.length)) {
                candidacies.add(holdfast.election(name).withLease(lease).start(CandidateProcess::lead));
            }
            System.out.println("ready");
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            while ("resign".equals(orders.readLine())) {
                candidacies.forEach(Candidacy::resign);
            }
        }
    }

    /** Wakes up and wakes others, as whoever tells a leader does, and says if that takes long. */
    private static void noteStalls() {
        ExecutorService first = Executors.newSingleThreadExecutor(CandidateProcess::daemon);
        ExecutorService second = Executors.newSingleThreadExecutor(CandidateProcess::daemon);
        daemon(() -> {
                    while (true) {
                        long due = System.nanoTime() + NAP_NANOS;
                        LockSupport.parkNanos(NAP_NANOS);
                        CompletableFuture.runAsync(() -> {}, first)
                                .thenRunAsync(() -> {}, second)
                                .join();
                        long now = System.nanoTime();
                        if (now - due > NAP_NANOS) {
                            System.out.println("stalled " + due + " " + now);
                        }
                    }
                })
                .start();
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    private static void lead(Lease lease) {
        say("started", lease);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            say("told", lease);
        }
    }

    private static void say(String what, Lease lease) {
        long now = System.nanoTime();
        System.out.println(what + " " + lease.name() + " " + lease.token() + " " + now);
    }
}
