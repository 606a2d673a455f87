package dev.holdfast.benchmarks.sidebyside;

import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** Threads of this process, spread over clients that have connections of their own. */
final class Threads implements Workload {
    private final Heading heading;
    private final int clients;
    private final int threadsEach;
    private final IntFunction<Supplier<String>> names;
    private final long holdNanos;
    private final int permits;
    private final Servers servers;
    private Servers metered;
    private final Connections connections = new Connections();

    private Threads(Builder builder, Servers servers) {
        this.heading = builder.heading();
        this.clients = builder.clients;
        this.threadsEach = builder.threadsEach;
        this.names = builder.names;
        this.holdNanos = builder.holdNanos;
        this.permits = builder.permits;
        this.servers = servers;
        this.metered = servers;
    }

    /** From now on only these are asked for figures. */
    void meterOnly(Servers some) {
        metered = some;
    }

    static Builder named(String name, String title) {
        return new Builder(name, title);
    }

    @Override
    public Heading heading() {
        return heading;
    }

    @Override
    public Map<Metric, Double> round(Peer peer, double seconds) throws Exception {
        Load load = new Load(connections.of(peer, clients, servers.urls()), threadsEach, names, holdNanos);
        Meter meter = Meter.start(metered);
        Load.Outcome outcome = load.run(seconds);
        Map<Metric, Double> figures = meter.stop(outcome);
        if (permits > 0) {
            figures.put(Metric.PERMITS_IN_USE, outcome.heldSeconds() / (permits * seconds));
        }
        if (metered.equals(servers)) {
            Requests requests = Requests.count(servers);
            Load.Outcome counted = load.run(seconds / 5);
            figures.put(Metric.REQUESTS, requests.stop() / Math.max(1, counted.acquisitions()));
        }
        return figures;
    }

    @Override
    public void close() {
        connections.close();
    }

    /** Collects what differs from: one client, one thread, names of its own, no hold. */
    static final class Builder {
        private final String name;
        private final String title;
        private List<Peer> peers = Peers.ALL;
        private int clients = 1;
        private int threadsEach = 1;
        private IntFunction<Supplier<String>> names = Names::own;
        private long holdNanos;
        private int permits;
        private Metric headline = Metric.THROUGHPUT;

        private Builder(String name, String title) {
            this.name = name;
            this.title = title;
        }

        Builder peers(List<Peer> some) {
            this.peers = some;
            return this;
        }

        Builder clients(int count, int threads) {
            this.clients = count;
            this.threadsEach = threads;
            return this;
        }

        Builder names(IntFunction<Supplier<String>> wanted) {
            this.names = wanted;
            return this;
        }

        Builder holdNanos(long nanos) {
            this.holdNanos = nanos;
            return this;
        }

        /** How many can hold at a time: tells how many of them did. */
        Builder permits(int count) {
            this.permits = count;
            return this;
        }

        Builder headline(Metric metric) {
            this.headline = metric;
            return this;
        }

        Heading heading() {
            return new Heading(name, title, peers, headline);
        }

        Threads on(Servers servers) {
            return new Threads(this, servers);
        }
    }
}
