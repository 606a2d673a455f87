package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.InMemoryBackend;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A JVM of its own, in which the machine really refuses threads: its address space is used up by their stacks. */
@Timeout(300)
@EnabledOnOs(OS.LINUX) // Elsewhere address space cannot be limited.
class ThreadLimitTest {
    private static final int LOCKS = SearchRun.LONG ? 50_000 : 800;

    @Test
    void nothingIsHeldForNobodyWhereNoThreadCanBeStarted() throws Exception {
        // Other threads have taken all that there are. 438 of 800 locks were held and renewed for ever: they were
        // granted,
        // and no thread could be started that would have told their callers.
        Process process = new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -v 6000000; exec \"$@\"",
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:ReservedCodeCacheSize=64m",
                        "-XX:CompressedClassSpaceSize=64m",
                        "-XX:ThreadStackSize=262144",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ThreadLimitTest.class.getName(),
                        Integer.toString(LOCKS))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output).contains("outcome: " + LOCKS + " given back without a thread, " + LOCKS + " with, 0 held");
    }

    public static void main(String[] args) throws Exception {
        int locks = Integer.parseInt(args[0]);
        try (Holdfast holdfast = Holdfast.over(new InMemoryBackend())) {
            CountDownLatch letGo = new CountDownLatch(1);
            if (!takeAllThreads(letGo)) {
                throw new IllegalStateException("There is no end of threads here: this shows nothing");
            }
            int without = takeAndGiveBack(holdfast, locks);
            letGo.countDown();
            int with = takeAndGiveBack(holdfast, locks);
            System.out.println("outcome: " + without + " given back without a thread, " + with + " with, "
                    + holdfast.list("", locks).size() + " held");
        }
    }

    /** Whether the machine refused one in the end. */
    private static boolean takeAllThreads(CountDownLatch until) {
        try {
            for (int i = 0; i < 200; i++) {
                Thread thread = new Thread(() -> awaitQuietly(until));
                thread.setDaemon(true);
                thread.start();
            }
            return false;
        } catch (OutOfMemoryError none) {
            return true;
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static int takeAndGiveBack(Holdfast holdfast, int locks) throws Exception {
        List<CompletableFuture<Integer>> given = new ArrayList<>();
        for (int i = 0; i < locks; i++) {
            given.add(holdfast.lock("name " + i)
                    .acquireAsync(Duration.ofMinutes(1))
                    .thenApply(lease -> {
                        lease.close();
                        return 1;
                    }));
        }
        int all = 0;
        for (CompletableFuture<Integer> each : given) {
            all += each.get(60, TimeUnit.SECONDS);
        }
        return all;
    }
}
