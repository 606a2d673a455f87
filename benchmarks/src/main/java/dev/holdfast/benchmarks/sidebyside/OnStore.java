package dev.holdfast.benchmarks.sidebyside;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Threads of this process that want locks of another store. It is started for the first round. */
public final class OnStore implements Workload {
    private final Heading heading;
    private final int clients;
    private final int threadsEach;
    private final IntFunction<Supplier<String>> names;
    private final Store.Start start;
    private final Connections connections = new Connections();
    private @Nullable Store store;

    private OnStore(
            Heading heading, int clients, int threadsEach, IntFunction<Supplier<String>> names, Store.Start start) {
        this.heading = heading;
        this.clients = clients;
        this.threadsEach = threadsEach;
        this.names = names;
        this.start = start;
    }

    /** One client, and each of its threads has names of its own. */
    public static Workload uncontended(
            String name, String where, int threads, Store.Start start, List<? extends Peer> peers) {
        String title = where + ", uncontended, " + threads + " threads";
        return new OnStore(new Heading(name, title, peers, Metric.THROUGHPUT), 1, threads, Names::own, start);
    }

    /** Four clients with four threads, and one name. */
    public static Workload hot(String name, String where, Store.Start start, List<? extends Peer> peers) {
        String title = where + ", one hot name, 4 clients × 4 threads";
        return new OnStore(new Heading(name, title, peers, Metric.THROUGHPUT), 4, 4, Names::hot, start);
    }

    /** Four clients with sixteen threads, and one name, which means what the peers make of it. */
    public static Workload shared(
            String name,
            String title,
            IntFunction<Supplier<String>> names,
            Store.Start start,
            List<? extends Peer> peers) {
        return new OnStore(new Heading(name, title, peers, Metric.THROUGHPUT), 4, 16, names, start);
    }

    /** The one that everybody wants. */
    public static Supplier<String> oneName(int thread) {
        return Names.hot(thread);
    }

    @Override
    public Heading heading() {
        return heading;
    }

    @Override
    public Map<Metric, Double> round(Peer peer, double seconds) throws Exception {
        Store asked = store == null ? start.now() : store;
        store = asked;
        Load load = new Load(connections.of(peer, clients, asked.urls()), threadsEach, names, 0);
        long before = asked.requests();
        Load.Outcome outcome = load.run(seconds);
        Map<Metric, Double> figures = Meter.times(outcome);
        figures.put(Metric.REQUESTS, (asked.requests() - before) / (double) Math.max(1, outcome.acquisitions()));
        return figures;
    }

    @Override
    public void close() {
        connections.close();
        try {
            if (store != null) {
                store.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
