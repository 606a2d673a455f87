package dev.holdfast.simulation;

import dev.holdfast.Holdfast;
import dev.holdfast.redis.SimulatedBackends;
import dev.holdfast.simulation.Path.Connection;
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
    private final Map<Server, Port> ports = new LinkedHashMap<>();
    final List<Worker> workers = new ArrayList<>();
    private @Nullable Holdfast holdfast;
    private @Nullable Insides insides;
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
            ports.put(server, new Port(world, this, new Path(world, this, server)));
        }
    }

    String name() {
        return "client " + id;
    }

    /** Connects, and begins to work. */
    void start() {
        long connected = ports.values().stream().filter(Port::connect).count();
        if (2 * connected <= ports.size()) {
            world.at(world.now + 100_000_000L, this, this::start);
            return;
        }
        Plan plan = world.plan;
        Holdfast opened = Holdfast.builder(backend(plan))
                .environment(this)
                .executor(code -> world.at(world.now + lag, this, code))
                .lease(plan.lease())
                .maxLease(plan.maxLease())
                .cohort(plan.cohort())
                .closeGrace(Duration.ZERO)
                .describedAs("#" + id)
                .build();
        holdfast = opened;
        insides = new Insides(opened);
        for (int i = 0; i < plan.workers(); i++) {
            Worker worker = new Worker(world, this, i, opened);
            workers.add(worker);
            worker.think();
        }
    }

    private LockBackend backend(Plan plan) {
        List<Port> all = List.copyOf(ports.values());
        return plan.isQuorum()
                ? SimulatedBackends.quorum(all, plan.timeout(), plan.window(), plan.maxLease())
                : SimulatedBackends.single(all.get(0), plan.window(), plan.timeout());
    }

    Port portTo(Server server) {
        Port port = ports.get(server);
        if (port == null) {
            throw new IllegalStateException("No way to " + server.name());
        }
        return port;
    }

    Iterable<Port> ports() {
        return ports.values();
    }

    // ---- as its Holdfast sees it

    @Override
    public long nanoTime() {
        if (world.isRunning(this) && world.stalls() && random.nextLong(STALLS_ONE_IN) == 0) {
            lag += world.faultNanos();
            world.faultHappened(Fault.STALL, name());
        }
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
        for (Port port : ports.values()) {
            for (Connection connection : List.copyOf(port.path().connections)) {
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
        return workers.stream().allMatch(Worker::isIdle) && (insides == null || insides.isQuiet()) && isIdleUp();
    }

    /** Everything that was sent has arrived, and nothing is waited for. */
    boolean isIdleUp() {
        for (Port port : ports.values()) {
            if (port.hasPending() || !port.path().isIdleUp()) {
                return false;
            }
        }
        return true;
    }

    @Nullable
    Insides insides() {
        return insides;
    }
}
