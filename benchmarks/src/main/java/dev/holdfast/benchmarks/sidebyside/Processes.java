package dev.holdfast.benchmarks.sidebyside;

import dev.holdfast.benchmarks.sidebyside.Worker.Tenure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Several processes that want one lock. */
final class Processes implements Workload {
    /** Long enough to be waited for. */
    private static final long HAND_OVER_HOLD_NANOS = 2_000_000;

    private static final Heading HOT = new Heading(
            "hot-processes",
            "One hot name, 4 processes × 4 threads, held for no time",
            List.of(Peers.HOLDFAST, Peers.HOLDFAST_ALONE, Peers.FLOOR, Peers.RLOCK, Peers.SPRING),
            Metric.THROUGHPUT);
    private static final Heading HAND_OVER = new Heading(
            "hand-over",
            "Hand-over between two processes, held for 2 ms",
            List.of(Peers.HOLDFAST, Peers.FLOOR, Peers.RLOCK, Peers.SPRING),
            Metric.WAIT_P50);

    private final boolean handOver;
    private final int count;
    private final Servers servers;
    private final Map<Peer, List<Worker>> workers = new HashMap<>();

    private Processes(boolean handOver, int count, Servers servers) {
        this.handOver = handOver;
        this.count = count;
        this.servers = servers;
    }

    /** Four processes with four threads each, no hold. */
    static Processes hot(Servers servers) {
        return new Processes(false, 4, servers);
    }

    /** From letting go in one process to holding in the other. */
    static Processes handOver(Servers servers) {
        return new Processes(true, 2, servers);
    }

    @Override
    public Heading heading() {
        return handOver ? HAND_OVER : HOT;
    }

    @Override
    public Map<Metric, Double> round(Peer peer, double seconds) throws Exception {
        List<Worker> team = team(peer);
        servers.resetCounts();
        List<List<Tenure>> tenures = new ArrayList<>();
        for (Worker worker : team) {
            worker.start(handOver ? 1 : 4, handOver ? HAND_OVER_HOLD_NANOS : 0, seconds);
        }
        for (Worker worker : team) {
            tenures.add(worker.tenures());
        }
        double commands = servers.commands();
        Map<Metric, Double> figures = handOver ? handOvers(tenures) : shared(tenures);
        int all = tenures.stream().mapToInt(List::size).sum();
        figures.put(Metric.COMMANDS, commands / Math.max(1, all));
        return figures;
    }

    private static Map<Metric, Double> shared(List<List<Tenure>> tenures) {
        List<Waits> waits = new ArrayList<>();
        List<Integer> each = new ArrayList<>();
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (List<Tenure> ofOne : tenures) {
            Waits own = new Waits();
            for (Tenure tenure : ofOne) {
                own.add(tenure.heldNanos() - tenure.askedNanos());
                first = Math.min(first, tenure.askedNanos());
                last = Math.max(last, tenure.letGoNanos());
            }
            waits.add(own);
            each.add(own.size());
        }
        Waits all = Waits.merged(waits);
        Map<Metric, Double> figures = Meter.times(new Load.Outcome(all, all, each, (last - first) / 1e9));
        figures.remove(Metric.CYCLE_P50);
        return figures;
    }

    /** Only where the lock went from one process to the other. */
    private static Map<Metric, Double> handOvers(List<List<Tenure>> tenures) {
        record Move(int process, Tenure tenure) {}
        List<Move> moves = new ArrayList<>();
        for (int i = 0; i < tenures.size(); i++) {
            for (Tenure tenure : tenures.get(i)) {
                moves.add(new Move(i, tenure));
            }
        }
        moves.sort(Comparator.comparingLong(move -> move.tenure().heldNanos()));
        Waits waits = new Waits();
        for (int i = 1; i < moves.size(); i++) {
            if (moves.get(i).process() != moves.get(i - 1).process()) {
                waits.add(moves.get(i).tenure().heldNanos()
                        - moves.get(i - 1).tenure().letGoNanos());
            }
        }
        Waits all = Waits.merged(List.of(waits));
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.WAIT_P50, all.micros(0.5));
        figures.put(Metric.WAIT_P99, all.micros(0.99));
        figures.put(Metric.WAIT_MAX, all.micros(1));
        return figures;
    }

    private List<Worker> team(Peer peer) throws IOException {
        List<Worker> known = workers.get(peer);
        if (known == null) {
            known = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                known.add(new Worker(peer, servers.urls()));
            }
            workers.put(peer, known);
            for (Worker worker : known) {
                worker.awaitReady();
            }
        }
        return known;
    }

    @Override
    public void close() {
        workers.values().forEach(team -> team.forEach(Worker::close));
    }
}
