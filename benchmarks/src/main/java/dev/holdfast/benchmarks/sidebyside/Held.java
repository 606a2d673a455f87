package dev.holdfast.benchmarks.sidebyside;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Many leases at once: how soon they are there, what they keep in memory, what keeping them costs the server. */
final class Held implements Workload {
    /** One period of renewal. */
    private static final int PERIOD_SECONDS = 10;
    /** More than that take the peer longer than they tell. */
    private static final int FEW = 10_000;

    private final int leases;
    private final Servers servers;

    Held(int leases, Servers servers) {
        this.leases = leases;
        this.servers = servers;
    }

    @Override
    public Heading heading() {
        return new Heading(
                "held-" + leases,
                leases + " leases held by one process",
                leases > FEW ? List.of(Peers.HOLDFAST) : List.of(Peers.HOLDFAST, Peers.RLOCK),
                Metric.RENEWAL_REQUESTS);
    }

    @Override
    public int rounds(int usual) {
        return 1;
    }

    @Override
    public Map<Metric, Double> round(Peer peer, double seconds) throws Exception {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        int threads = Thread.activeCount();
        long heap = liveBytes();
        try (Peer.Client client = peer.connect(servers.urls())) {
            List<Peer.Held> held = new ArrayList<>(leases);
            long started = System.nanoTime();
            acquire(client, held);
            figures.put(Metric.ACQUIRE_ALL, (System.nanoTime() - started) / 1e9);
            figures.put(Metric.THREADS, (double) (Thread.activeCount() - threads));
            Requests requests = Requests.count(servers);
            int periods = seconds < 1 ? 1 : 2;
            TimeUnit.SECONDS.sleep((long) periods * PERIOD_SECONDS);
            figures.put(Metric.RENEWAL_REQUESTS, requests.stop() * 60 / (periods * PERIOD_SECONDS));
            figures.put(Metric.HEAP, (liveBytes() - heap) / (double) leases);
            for (Peer.Held each : held) {
                var unused = each.unlockAsync();
            }
        }
        servers.all().get(0).call("FLUSHALL");
        return figures;
    }

    private void acquire(Peer.Client client, List<Peer.Held> held) throws Exception {
        Semaphore places = new Semaphore(256);
        List<CompletableFuture<Peer.Held>> asked = new ArrayList<>(leases);
        for (int i = 0; i < leases; i++) {
            places.acquire();
            CompletableFuture<Peer.Held> lease = client.lockAsync("held-" + i);
            var unused = lease.whenComplete((got, failure) -> places.release());
            asked.add(lease);
        }
        for (CompletableFuture<Peer.Held> lease : asked) {
            held.add(lease.get());
        }
    }

    private static long liveBytes() throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            Thread.sleep(100);
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    @Override
    public void close() {}
}
