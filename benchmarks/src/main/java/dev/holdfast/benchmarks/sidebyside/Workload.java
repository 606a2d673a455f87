package dev.holdfast.benchmarks.sidebyside;

import java.util.List;
import java.util.Map;

/** Something to do with locks. It keeps its connections from round to round. */
public interface Workload extends AutoCloseable {
    /**
     * What stands above its figures.
     *
     * @param name as on the command line
     * @param headline what systems are compared by in the chart
     */
    record Heading(String name, String title, List<? extends Peer> peers, Metric headline) {}

    Heading heading();

    default String name() {
        return heading().name();
    }

    default String title() {
        return heading().title();
    }

    default List<Peer> peers() {
        return List.copyOf(heading().peers());
    }

    default Metric headline() {
        return heading().headline();
    }

    /** How often it is worth repeating, out of that many. */
    default int rounds(int usual) {
        return usual;
    }

    Map<Metric, Double> round(Peer peer, double seconds) throws Exception;

    @Override
    void close();
}
