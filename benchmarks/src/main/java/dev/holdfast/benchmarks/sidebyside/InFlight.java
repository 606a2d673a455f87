package dev.holdfast.benchmarks.sidebyside;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** One client, no thread that waits: so many acquisitions are under way at any time. Those that can. */
final class InFlight implements Workload {
    private static final int MANY = 256;

    private final Servers servers;
    private final List<Peer> peers;
    private final Connections connections = new Connections();

    InFlight(Servers servers, List<Peer> peers) {
        this.servers = servers;
        this.peers = peers;
    }

    @Override
    public Heading heading() {
        return new Heading("async-256", "Uncontended, asynchronous, 256 in flight", peers, Metric.THROUGHPUT);
    }

    @Override
    public Map<Metric, Double> round(Peer peer, double seconds) throws Exception {
        Peer.Client client = connections.of(peer, 1, servers.urls()).get(0);
        Meter meter = Meter.start(servers);
        Load.Outcome outcome = run(client, seconds);
        Map<Metric, Double> figures = meter.stop(outcome);
        // Whoever only hands out work does not wait.
        figures.keySet()
                .retainAll(List.of(
                        Metric.THROUGHPUT,
                        Metric.COMMANDS,
                        Metric.BYTES,
                        Metric.SERVER_CPU,
                        Metric.CLIENT_CPU,
                        Metric.ALLOCATED));
        Requests requests = Requests.count(servers);
        Load.Outcome counted = run(client, seconds / 5);
        figures.put(Metric.REQUESTS, requests.stop() / Math.max(1, counted.acquisitions()));
        return figures;
    }

    private static Load.Outcome run(Peer.Client client, double seconds) throws Exception {
        if (client instanceof ScriptsAlone.Pipeline scripts) {
            return scripts.run(seconds);
        }
        long started = System.nanoTime();
        long until = started + (long) (seconds * 1e9);
        List<Chain> chains = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            chains.add(new Chain(client, "flying-" + i, until));
        }
        chains.forEach(Chain::next);
        for (Chain chain : chains) {
            chain.end.get();
        }
        Waits done = Waits.merged(chains.stream().map(chain -> chain.done).toList());
        return new Load.Outcome(done, done, List.of(done.size()), (System.nanoTime() - started) / 1e9);
    }

    /** One acquisition after the other; whoever brings the answer begins the next. */
    private static final class Chain {
        private static final int NAMES = 4;

        final CompletableFuture<Void> end = new CompletableFuture<>();
        final Waits done = new Waits();
        private final Peer.Client client;
        private final String name;
        private final long until;

        Chain(Peer.Client client, String name, long until) {
            this.client = client;
            this.name = name;
            this.until = until;
        }

        void next() {
            long begun = System.nanoTime();
            if (begun >= until) {
                end.complete(null);
                return;
            }
            var unused = client.lockAsync(name + "-" + done.size() % NAMES)
                    .thenCompose(Peer.Held::unlockAsync)
                    .whenComplete((nothing, failure) -> {
                        if (failure != null) {
                            end.completeExceptionally(failure);
                            return;
                        }
                        done.add(System.nanoTime() - begun);
                        next();
                    });
        }
    }

    @Override
    public void close() {
        connections.close();
    }
}
