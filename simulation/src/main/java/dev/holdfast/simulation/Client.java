package dev.holdfast.simulation;

import dev.holdfast.Holdfast;
import dev.holdfast.simulation.Route.Connection;
import dev.holdfast.spi.Environment;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A client process with one Holdfast and some workers: its clock, its pauses, its end. */
final class Client implements Environment {
    private static final long STALLS_ONE_IN = 1500;

    private final World world;
    final int id;
    private final SplittableRandom random;
    private final double clockRate;
    private final long clockOffset;
    private final Map<Server, SimulatedNode> nodes = new LinkedHashMap<>();
    final List<Worker> workers = new ArrayList<>();
    private @Nullable Holdfast holdfast;
    private @Nullable EngineView engineView;
    boolean alive = true;
    /** Closed in good order: nothing of it may be left anywhere. */
    private boolean closed;

    long pausedUntil;
    /** How far this process is ahead of the world, because it stood still in the middle of an event. */
    private long lag;

    Client(World world, int id) {
        this.world = world;
        this.id = id;
        random = world.random.split();
        clockRate = world.clockRate();
        // Any number will do for a monotonic clock, one that is about to overflow too.
        clockOffset = random.nextInt(16) == 0 ? Long.MAX_VALUE - world.now - 60_000_000_000L : random.nextLong() >> 12;
        for (Server server : world.servers) {
            nodes.put(server, new SimulatedNode(world, this, new Route(world, this, server)));
        }
    }

    String name() {
        return "client " + id;
    }

    /** What a lock value or a place in a queue of this process ends with. */
    String mark() {
        return " #" + id;
    }

    /** Connects, and begins to work. */
    void start() {
        long connected = nodes.values().stream().filter(SimulatedNode::connect).count();
        if (2 * connected <= nodes.size()) {
            world.at(world.now + 100_000_000L, this, this::start);
            return;
        }
        Plan plan = world.plan;
        Holdfast opened = Holdfast.builder(backend(plan))
                .environment(this)
                .lease(plan.lease())
                .maxLease(plan.maxLease())
                .cohort(plan.cohort())
                .closeGrace(Duration.ZERO)
                .describedAs("#" + id)
                .build();
        holdfast = opened;
        engineView = new EngineView(opened);
        for (int i = 0; i < plan.workers(); i++) {
            Worker worker = new Worker(world, this, i, opened);
            workers.add(worker);
            worker.think();
        }
    }

    private LockBackend backend(Plan plan) {
        List<SimulatedNode> all = List.copyOf(nodes.values());
        return plan.isQuorum()
                ? SimulatedBackends.quorum(all, plan.timeout(), plan.window(), plan.maxLease())
                : SimulatedBackends.single(all.get(0), plan.window(), plan.timeout());
    }

    SimulatedNode nodeFor(Server server) {
        SimulatedNode node = nodes.get(server);
        if (node == null) {
            throw new IllegalStateException("No way to " + server.name());
        }
        return node;
    }

    Iterable<SimulatedNode> nodes() {
        return nodes.values();
    }

    // ---- as its Holdfast sees it

    @Override
    public long nanoTime() {
        if (world.isRunning(this) && world.stalls() && random.nextLong(STALLS_ONE_IN) == 0) {
            lag += world.faultNanos();
            world.faultHappened(Fault.STALL, name());
        }
        return clockNanos();
    }

    /** As {@link #nanoTime}, for checks: nobody stands still because of it. */
    long clockNanos() {
        return clockOffset + (long) ((world.now + lag) * clockRate);
    }

    @Override
    public long wallMicros() {
        return (world.now + lag) / 1000;
    }

    @Override
    public Scheduled schedule(long delayNanos, Runnable task) {
        long delay = (long) Math.ceil(Math.max(0, delayNanos) / clockRate);
        return world.at(world.now + lag + delay, this, task);
    }

    @Override
    public Executor blocking() {
        return code -> world.at(world.now + lag, this, code);
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    // ---- as the world sees it

    long lagNanos() {
        return world.isRunning(this) ? lag : 0;
    }

    /** The event is over: whatever it stood still for has to pass before the next. */
    void settle() {
        if (lag > 0) {
            pausedUntil = Math.max(pausedUntil, world.now + lag);
            lag = 0;
        }
    }

    void pause(long untilNanos) {
        pausedUntil = Math.max(pausedUntil, untilNanos);
    }

    void crash(boolean silently) {
        alive = false;
        for (SimulatedNode node : nodes.values()) {
            for (Connection connection : List.copyOf(node.route().connections)) {
                if (silently) {
                    connection.vanish();
                } else {
                    connection.hangUp();
                }
            }
        }
    }

    void close() {
        if (holdfast != null) {
            holdfast.close();
        }
        closed = true;
        alive = false;
    }

    boolean wasClosed() {
        return closed;
    }

    /** Nothing left to do, nothing under way, nobody waits. */
    boolean isQuiet() {
        return workers.stream().allMatch(Worker::isIdle)
                && (engineView == null || engineView.isQuiet())
                && hasNothingOnItsWay();
    }

    /** Everything that was sent has arrived, and nothing is waited for. */
    boolean hasNothingOnItsWay() {
        for (SimulatedNode node : nodes.values()) {
            if (!node.requests().isEmpty() || !node.route().hasNothingOnItsWay()) {
                return false;
            }
        }
        return true;
    }

    /** Runs, and reaches every server. */
    boolean isHealthy() {
        return alive
                && holdfast != null
                && pausedUntil <= world.now
                && nodes.values().stream().allMatch(SimulatedNode::isHealthy);
    }

    /** As {@link #isHealthy}, and receives what is pushed to it. */
    boolean isReached() {
        return isHealthy() && nodes.values().stream().allMatch(SimulatedNode::receivesPushes);
    }

    /** Whether somebody here waits for this name, or holds it. */
    boolean isConcernedWith(String name) {
        return engineView == null
                || engineView.knows(world.key(name))
                || workers.stream().anyMatch(worker -> worker.lease != null && name.equals(worker.lockName()));
    }

    @Nullable
    EngineView engineView() {
        return engineView;
    }
}
