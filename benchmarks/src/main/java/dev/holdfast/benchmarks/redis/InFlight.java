package dev.holdfast.benchmarks.redis;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** One client, no thread that waits: so many acquisitions are under way at any time. Those that can. */
final class InFlight implements Workload {
    private static final int MANY = 256;

    private final Servers servers;
    private final Map<Peer, Peer.Client> connected = new HashMap<>();

    InFlight(Servers servers) {
        this.servers = servers;
    }

    @Override
    public String name() {
        return "async-256";
    }

    @Override
    public String title() {
        return "Uncontended, asynchronous, 256 in flight";
    }

    @Override
    public List<Peer> peers() {
        return List.of(Peers.HOLDFAST, Peers.RLOCK);
    }

    @Override
    public Map<Metric, Double> round(Peer peer, double seconds) throws Exception {
        Peer.Client client = connected.get(peer);
        if (client == null) {
            client = peer.connect(servers.urls());
            connected.put(peer, client);
        }
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
        Semaphore places = new Semaphore(MANY);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Waits done = new Waits();
        long started = System.nanoTime();
        long until = started + (long) (seconds * 1e9);
        for (int i = 0; System.nanoTime() < until && failure.get() == null; i++) {
            places.acquire();
            done.add(0);
            var unused = client.lockAsync("flying-" + i % (4 * MANY))
                    .thenCompose(Peer.Held::unlockAsync)
                    .whenComplete((nothing, failed) -> {
                        places.release();
                        if (failed != null) {
                            failure.compareAndSet(null, failed);
                        }
                    });
        }
        places.acquire(MANY);
        if (failure.get() != null) {
            throw new IllegalStateException("An acquisition failed", failure.get());
        }
        return new Load.Outcome(done, done, List.of(done.size()), (System.nanoTime() - started) / 1e9);
    }

    @Override
    public void close() {
        connected.values().forEach(Peer.Client::close);
    }
}
