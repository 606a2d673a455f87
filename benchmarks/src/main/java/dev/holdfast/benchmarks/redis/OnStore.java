package dev.holdfast.benchmarks.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Threads of this process that want locks of another store. It is started for the first round. */
public final class OnStore implements Workload {
    private final String name;
    private final String title;
    private final List<Peer> peers;
    private final int clients;
    private final int threadsEach;
    private final IntFunction<Supplier<String>> names;
    private final Store.Start start;
    private final Connections connections = new Connections();
    private @Nullable Store store;

    private OnStore(
            String name,
            String title,
            List<Peer> peers,
            int clients,
            int threadsEach,
            IntFunction<Supplier<String>> names,
            Store.Start start) {
        this.name = name;
        this.title = title;
        this.peers = peers;
        this.clients = clients;
        this.threadsEach = threadsEach;
        this.names = names;
        this.start = start;
    }

    /** One client, and each of its threads has names of its own. */
    public static Workload uncontended(
            String name, String where, int threads, Store.Start start, List<? extends Peer> peers) {
        String title = where + ", uncontended, " + threads + " threads";
        return new OnStore(name, title, List.copyOf(peers), 1, threads, Names::own, start);
    }

    /** Four clients with four threads, and one name. */
    public static Workload hot(String name, String where, Store.Start start, List<? extends Peer> peers) {
        String title = where + ", one hot name, 4 clients × 4 threads";
        return new OnStore(name, title, List.copyOf(peers), 4, 4, Names::hot, start);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public List<Peer> peers() {
        return peers;
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
