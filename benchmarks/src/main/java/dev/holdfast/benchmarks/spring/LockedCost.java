package dev.holdfast.benchmarks.spring;

import com.sun.management.ThreadMXBean;
import dev.holdfast.Holdfast;
import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.micrometer.HoldfastMetrics;
import dev.holdfast.spring.EnableLocking;
import dev.holdfast.spring.LockTemplate;
import dev.holdfast.spring.Locked;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What the annotation, the template and meters add to {@code call}, with locks in memory: everything but the store. In turns within
 * one JVM, by the CPU time and the allocation of the calling thread, which a machine that is busy with other things distorts least.
 */
public final class LockedCost {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int OPERATIONS = 100_000;
    private static final int ROUNDS = 17;
    private static final int WARM_UP = 8;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private LockedCost() {}

    private interface Operation {
        long run(long id) throws InterruptedException;
    }

    /** One way to hold a lock, and what each of its rounds took. */
    private static final class Way {
        private final String name;
        private final Operation operation;
        private final double[] nanos = new double[ROUNDS];
        private final double[] bytes = new double[ROUNDS];

        Way(String name, Operation operation) {
            this.name = name;
            this.operation = operation;
        }

        void run(int round) throws InterruptedException {
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            long started = THREADS.getCurrentThreadCpuTime();
            for (int i = 0; i < OPERATIONS; i++) {
                if (operation.run(42) != 42) {
                    throw new IllegalStateException(name + " returned something else");
                }
            }
            if (round >= 0) {
                nanos[round] = (THREADS.getCurrentThreadCpuTime() - started) / (double) OPERATIONS;
                bytes[round] = (THREADS.getCurrentThreadAllocatedBytes() - allocated) / (double) OPERATIONS;
            }
        }

        String result() {
            Arrays.sort(nanos);
            Arrays.sort(bytes);
            return String.format(
                    Locale.ROOT,
                    "%-28s %6.0f ns (%.0f to %.0f)  %5.0f bytes",
                    name,
                    nanos[ROUNDS / 2],
                    nanos[0],
                    nanos[ROUNDS - 1],
                    bytes[ROUNDS / 2]);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        try (AnnotationConfigApplicationContext spring =
                        new AnnotationConfigApplicationContext(Application.class, Invoices.class);
                Holdfast measured = measured()) {
            Holdfast holdfast = spring.getBean(Holdfast.class);
            LockTemplate template = spring.getBean(LockTemplate.class);
            Invoices invoices = spring.getBean(Invoices.class);
            List<Way> ways = List.of(
                    new Way("call", id -> holdfast.lock("invoice:" + id).call(PATIENCE, lease -> id)),
                    new Way(
                            "call, with meters",
                            id -> measured.lock("invoice:" + id).call(PATIENCE, lease -> id)),
                    new Way("LockTemplate", id -> template.call("invoice:" + id, lease -> id)),
                    new Way("@Locked with a name", invoices::byName),
                    new Way("@Locked with name and key", invoices::byKey));
            for (int round = -WARM_UP; round < ROUNDS; round++) {
                for (Way each : ways) {
                    each.run(round);
                }
            }
            ways.forEach(each -> System.out.println(each.result()));
        }
    }

    private static Holdfast measured() {
        HoldfastMetrics metrics = HoldfastMetrics.of(new SimpleMeterRegistry());
        Holdfast holdfast =
                Holdfast.builder(new InMemoryBackend()).listener(metrics).build();
        metrics.watch(holdfast);
        return holdfast;
    }

    @Configuration(proxyBeanMethods = false)
    @EnableLocking
    static class Application {
        @Bean
        Holdfast holdfast() {
            return Holdfast.over(new InMemoryBackend());
        }
    }

    static class Invoices {
        @Locked("invoice:42")
        public long byName(long id) {
            return id;
        }

        @Locked(name = "invoice", key = "#id")
        public long byKey(long id) {
            return id;
        }
    }
}
