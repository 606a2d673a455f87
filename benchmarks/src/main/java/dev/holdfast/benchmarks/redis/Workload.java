package dev.holdfast.benchmarks.redis;

import java.util.List;
import java.util.Map;

/** Something to do with locks. It keeps its connections from round to round. */
public interface Workload extends AutoCloseable {
    /** As on the command line. */
    String name();

    String title();

    List<Peer> peers();

    /** What the others are compared with in the chart. */
    default Metric headline() {
        return Metric.THROUGHPUT;
    }

    /** How often it is worth repeating, out of that many. */
    default int rounds(int usual) {
        return usual;
    }

    Map<Metric, Double> round(Peer peer, double seconds) throws Exception;

    @Override
    void close();
}
