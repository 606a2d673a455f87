package dev.holdfast.benchmarks;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.testing.ManualTime;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/** Many leases at once: what each keeps in memory, which threads it takes, and how often they are renewed. */
public final class HeldLeases {
    private static final int MANY = 100_000;
    private static final Duration LEASE = Duration.ofSeconds(30);

    private HeldLeases() {}

    public static void main(String[] args) throws InterruptedException {
        measureMemory();
        for (int leases : new int[] {1_000, 10_000, MANY, MANY}) {
            measureRenewals(leases);
        }
    }

    private static void measureMemory() throws InterruptedException {
        warmUp();
        Set<Thread> threadsBefore = Thread.getAllStackTraces().keySet();
        Lease[] leases = new Lease[MANY];
        long before = liveBytes();
        Holdfast holdfast = Holdfast.over(new InMemoryBackend());
        acquire(holdfast, leases);
        long after = liveBytes();
        print("%d leases held: %.0f bytes each, name, backend and all", MANY, (after - before) / (double) MANY);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (!threadsBefore.contains(thread)) {
                print("thread started: %s", thread.getName());
            }
        }
        for (Lease lease : leases) {
            lease.close();
        }
        holdfast.close();
    }

    /** So that no class that is loaded on the way counts as a lease. */
    private static void warmUp() throws InterruptedException {
        try (Holdfast holdfast = Holdfast.over(new InMemoryBackend())) {
            Lease[] few = new Lease[100];
            acquire(holdfast, few);
            for (Lease lease : few) {
                lease.close();
            }
        }
    }

    private static void measureRenewals(int count) throws InterruptedException {
        ManualTime time = new ManualTime();
        CountingBackend backend = new CountingBackend(new InMemoryBackend());
        try (Holdfast holdfast = Holdfast.builder(backend)
                .environment(time)
                .closeGrace(Duration.ZERO)
                .build()) {
            Lease[] leases = new Lease[count];
            // Not all at one moment: what is renewed together was acquired over the length of a lease.
            for (int i = 0; i < count; i++) {
                leases[i] = holdfast.lock(name(i)).acquire();
                time.advance(LEASE.dividedBy(count));
            }
            time.advance(Duration.ofSeconds(60));
            backend.reset();
            long started = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            time.advance(Duration.ofSeconds(60));
            long spent = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - started;
            print(
                    "%6d leases of 30 s, in a minute: %d renewals in %d requests, %.0f ns of CPU a renewal",
                    count, backend.renewals(), backend.requests(), spent / (double) backend.renewals());
            for (Lease lease : leases) {
                lease.close();
            }
        }
    }

    private static void acquire(Holdfast holdfast, Lease[] leases) throws InterruptedException {
        for (int i = 0; i < leases.length; i++) {
            leases[i] = holdfast.lock(name(i)).acquire();
        }
    }

    private static String name(int number) {
        return String.format(Locale.ROOT, "invoice-%08d", number);
    }

    private static long liveBytes() throws InterruptedException {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            System.gc();
            Thread.sleep(100);
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    private static void print(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
