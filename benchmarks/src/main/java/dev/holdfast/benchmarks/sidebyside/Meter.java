package dev.holdfast.benchmarks.sidebyside;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.EnumMap;
import java.util.Map;

/** What one round cost, on both sides. */
final class Meter {
    private final Servers servers;
    private final double serverCpu;
    private final double bytes;
    private final long clientCpu;
    private final long allocated;

    private Meter(Servers servers) {
        this.servers = servers;
        servers.resetCounts();
        bytes = servers.bytes();
        serverCpu = servers.cpuSeconds();
        allocated = allocatedBytes();
        clientCpu = processCpu();
    }

    static Meter start(Servers servers) {
        return new Meter(servers);
    }

    Map<Metric, Double> stop(Load.Outcome outcome) {
        long cpu = processCpu() - clientCpu;
        long memory = allocatedBytes() - allocated;
        double n = Math.max(1, outcome.acquisitions());
        Map<Metric, Double> figures = times(outcome);
        figures.put(Metric.COMMANDS, servers.commands() / n);
        figures.put(Metric.SERVER_CPU, (servers.cpuSeconds() - serverCpu) * 1e6 / n);
        figures.put(Metric.BYTES, (servers.bytes() - bytes) / n);
        figures.put(Metric.CLIENT_CPU, cpu / 1e3 / n);
        figures.put(Metric.ALLOCATED, memory / n);
        return figures;
    }

    /** Only what the clients saw. */
    static Map<Metric, Double> times(Load.Outcome outcome) {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.THROUGHPUT, outcome.acquisitions() / outcome.seconds());
        figures.put(Metric.CYCLE_P50, outcome.cycles().micros(0.5));
        figures.put(Metric.WAIT_P50, outcome.waits().micros(0.5));
        figures.put(Metric.WAIT_P99, outcome.waits().micros(0.99));
        figures.put(Metric.WAIT_MAX, outcome.waits().micros(1));
        figures.put(Metric.FAIRNESS, outcome.fairness());
        return figures;
    }

    private static long processCpu() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** Of the threads that live: a pool's thread that ended in between is missed. */
    private static long allocatedBytes() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }
}
