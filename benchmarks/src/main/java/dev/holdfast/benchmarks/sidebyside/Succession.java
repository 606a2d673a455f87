package dev.holdfast.benchmarks.sidebyside;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long nobody leads when a leader's candidacy is closed and another one waits. A client's {@code lock} competes until it leads,
 * {@code unlock} closes the candidacy.
 */
public final class Succession implements Workload {
    private static final long SETTLING_MILLIS = 100;

    private final Heading heading;
    private final Store.Start start;
    private final Connections connections = new Connections();
    private @Nullable Store store;

    public Succession(String name, String title, Store.Start start, List<? extends Peer> peers) {
        this.heading = new Heading(name, title, peers, Metric.WAIT_P50);
        this.start = start;
    }

    @Override
    public Heading heading() {
        return heading;
    }

    @Override
    public Map<Metric, Double> round(Peer peer, double seconds) throws Exception {
        Store asked = store == null ? start.now() : store;
        store = asked;
        List<Peer.Client> clients = connections.of(peer, 2, asked.urls());
        Waits waits = new Waits();
        ExecutorService rival = Executors.newSingleThreadExecutor();
        try {
            long until = System.nanoTime() + (long) (seconds * 1e9);
            Peer.Held leads = clients.get(0).lock("leader");
            int next = 1;
            do {
                Peer.Client waiting = clients.get(next);
                CompletableFuture<Long> begins = new CompletableFuture<>();
                CompletableFuture<Peer.Held> succeeds = CompletableFuture.supplyAsync(
                        () -> {
                            Peer.Held held = lead(waiting);
                            begins.complete(System.nanoTime());
                            return held;
                        },
                        rival);
                // Until it stands in line: what is measured is the end of a leader that somebody waits for.
                Thread.sleep(SETTLING_MILLIS);
                long closed = System.nanoTime();
                leads.unlock();
                waits.add(begins.get(60, TimeUnit.SECONDS) - closed);
                leads = succeeds.get();
                next = 1 - next;
            } while (System.nanoTime() < until);
            leads.unlock();
        } finally {
            rival.shutdown();
        }
        Waits all = Waits.merged(List.of(waits));
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.WAIT_P50, all.micros(0.5));
        figures.put(Metric.WAIT_MAX, all.micros(1));
        return figures;
    }

    private static Peer.Held lead(Peer.Client client) {
        try {
            return client.lock("leader");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
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
