package dev.holdfast.simulation;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Everything that one seed decides: time, servers, processes, the network between them, and what goes wrong. */
final class World {
    /** How a run went. */
    record Outcome(
            long seed,
            @Nullable String failure,
            long hash,
            int acquisitions,
            int faults,
            int scripts,
            int writes,
            int refusedWrites,
            boolean cutShort,
            long nanos) {}

    private static final ThreadLocal<World> CURRENT = new ThreadLocal<>();
    private static final long SECOND = 1_000_000_000L;
    private static final long LOOK_NANOS = SECOND / 4;
    private static final int MOST_EVENTS = 50_000;
    /** A world that is busy with retries for long tells nothing new. */
    private static final int MOST_SCRIPTS = 1_000;

    final Plan plan;
    final LuaMachine lua;
    final Trace trace;
    final SplittableRandom random;
    final List<Server> servers = new ArrayList<>();
    final List<Client> processes = new ArrayList<>();
    final List<String> names = new ArrayList<>();
    final Checks checks;
    final Resource resource;
    private final Faults faults;
    final WaitingChecks waitingChecks;
    final EndingChecks endingChecks;
    final KeptChecks keptChecks;
    private final EventQueue queue = new EventQueue();
    private @Nullable Client running;
    private boolean draining;
    private boolean over;
    private boolean cutShort;
    private int events;
    long now = SECOND;
    int acquisitions;
    int faultCount;
    int scripts;

    World(Plan plan, LuaMachine lua, boolean telling) {
        this.plan = plan;
        this.lua = lua;
        this.trace = new Trace(telling);
        random = new SplittableRandom(plan.seed());
        checks = new Checks(this);
        resource = new Resource(this);
        faults = new Faults(this);
        waitingChecks = new WaitingChecks(this);
        endingChecks = new EndingChecks(this);
        keptChecks = new KeptChecks(this);
        for (int i = 0; i < plan.names(); i++) {
            names.add("name-" + (char) ('a' + i));
        }
        for (int i = 1; i <= plan.servers(); i++) {
            servers.add(new Server(this, i));
        }
    }

    Outcome run() {
        CURRENT.set(this);
        try {
            for (int i = 0; i < plan.processes(); i++) {
                newProcess();
            }
            faults.begin();
            long longest = now + 60 * plan.lease().toNanos() + 120 * SECOND;
            while (!over && checks.failure() == null && !queue.isEmpty()) {
                step();
                if (++events > MOST_EVENTS && plan.isQuorum()) {
                    cutShort = true;
                    over = true;
                } else if (events > MOST_EVENTS) {
                    checks.fail("no end after " + MOST_EVENTS + " events: something is repeated without a pause");
                }
                if (!draining && (isDone() || now > longest)) {
                    drain();
                }
            }
        } catch (RuntimeException | Error e) {
            checks.fail("thrown: " + stack(e));
        } finally {
            CURRENT.remove();
        }
        return new Outcome(
                plan.seed(),
                checks.failure(),
                trace.hash(),
                acquisitions,
                faultCount,
                scripts,
                resource.writes,
                resource.refused,
                cutShort,
                now);
    }

    private static String stack(Throwable e) {
        StringBuilder text = new StringBuilder(e.toString());
        for (StackTraceElement frame : e.getStackTrace()) {
            text.append("\n    at ").append(frame);
        }
        return text.toString();
    }

    /** For the log: production code reports a bug and goes on, a simulation ends there. */
    static void bug(String what, @Nullable Throwable cause) {
        World world = CURRENT.get();
        if (world != null) {
            world.checks.fail(what + (cause == null ? "" : ": " + stack(cause)));
        }
    }

    // ---- time

    EventQueue.Event at(long nanos, Runnable code) {
        return queue.add(nanos, null, code);
    }

    /** When that process runs at that time; it may be dead by then. */
    EventQueue.Event at(long nanos, Client process, Runnable code) {
        return queue.add(nanos, process, code);
    }

    private void step() {
        EventQueue.Event event = queue.take();
        now = Math.max(now, event.atNanos);
        waitingChecks.beforeEvent();
        Client process = event.process;
        if (event.cancelled || (process != null && !process.alive)) {
            return;
        }
        if (process == null) {
            event.code.run();
            return;
        }
        if (process.pausedUntil > now) {
            queue.postpone(event, process.pausedUntil);
            return;
        }
        running = process;
        event.code.run();
        process.settle();
        running = null;
        checks.exclusion();
    }

    /** For checks: looks without letting the process stand still, which would change what happens. */
    <T> T observe(Supplier<T> look) {
        Client observed = running;
        running = null;
        try {
            return look.get();
        } finally {
            running = observed;
        }
    }

    boolean isRunning(Client process) {
        return running == process;
    }

    // ---- processes

    void newProcess() {
        Client process = new Client(this, processes.size() + 1);
        processes.add(process);
        at(now + exponential(plan.latencyNanos()), process, process::start);
    }

    List<Client> alive() {
        return processes.stream().filter(process -> process.alive).toList();
    }

    List<Route> routesTo(Server server) {
        return processes.stream()
                .map(process -> process.nodeFor(server).route())
                .toList();
    }

    String lockName() {
        return names.get(random.nextInt(names.size()));
    }

    // ---- faults

    boolean isFaulty() {
        return !draining && !plan.isCalm();
    }

    boolean stalls() {
        return !draining && plan.faults().contains(Fault.STALL);
    }

    void faultHappened(Fault fault, String where) {
        faultCount++;
        trace.mark(now, -1, fault.name().hashCode());
        if (trace.telling) {
            trace.tell(now, where, Trace.Kind.FAULT, "", 0, "FAULT " + fault);
        }
    }

    /** From a moment to three leases, each order of magnitude as likely as the next. */
    long faultNanos() {
        double most = Math.log(3.0 * plan.lease().toNanos());
        double least = Math.log(1e6);
        return (long) Math.exp(least + (most - least) * random.nextDouble());
    }

    // ---- the end

    boolean wantsMore() {
        return !draining;
    }

    private boolean isDone() {
        int mostScripts = plan.hot() ? 10 * MOST_SCRIPTS : plan.isQuorum() ? MOST_SCRIPTS / 2 : MOST_SCRIPTS;
        return scripts > mostScripts || (acquisitions >= plan.quota() && faultCount >= plan.faultCount());
    }

    /** Faults stop. Everybody who waits must be served or told, and everything be let go of, within a bound. */
    private void drain() {
        draining = true;
        if (trace.telling) {
            trace.tell(now, "world", "faults stop, everybody comes to an end");
        }
        faults.stop();
        long bound = 30 * plan.lease().toNanos() + 120 * SECOND + 3L * plan.processes() * plan.workers() * SECOND;
        long deadline = now + bound;
        at(now + LOOK_NANOS, () -> look(deadline));
    }

    private void look(long deadline) {
        if (alive().stream().allMatch(Client::isQuiet)) {
            at(now + 2 * plan.lease().toNanos() + 10 * SECOND, this::end);
        } else if (now > deadline) {
            for (Client process : alive()) {
                if (!process.isQuiet()) {
                    checks.fail(process.name() + " is not done long after the faults have stopped: "
                            + process.engineView() + ", workers idle: "
                            + process.workers.stream().map(Worker::isIdle).toList());
                }
            }
        } else {
            at(now + LOOK_NANOS, () -> look(deadline));
        }
    }

    private void end() {
        checks.atEnd();
        endingChecks.atEnd();
        now += 4 * plan.lease().toNanos() + 200 * SECOND;
        checks.longAfter();
        over = true;
    }

    // ---- what servers keep

    /** As the engine knows it. */
    String key(String name) {
        return new LockKey(plan.kind(), name).encoded();
    }

    /** What this server keeps for those who hold this name, whatever its kind. */
    List<String> holdersAt(Server server, String name) {
        return SimulatedBackends.holders(server.memory, plan, name);
    }

    @Nullable
    String lockAt(Server server, String name) {
        return server.memory.peek(SimulatedBackends.keys(name, plan.isQuorum())[0]);
    }

    /** How long this server keeps what it has for this holder. */
    long millisLeft(Server server, String name, String value) {
        return plan.kind() == LockKind.LOCK
                ? server.memory.pttl(SimulatedBackends.keys(name, plan.isQuorum())[0])
                : SimulatedBackends.endsMillis(value) - server.memory.nowMillis();
    }

    List<String> queueOf(Server server, String name) {
        return server.memory.peekList(SimulatedBackends.queueKey(name, plan));
    }

    /** A quorum notices that a server has forgotten, so nothing is excused there. */
    boolean mayBeForgotten(String name, long token) {
        return !plan.isQuorum() && servers.stream().anyMatch(server -> server.serverChecks.mayBeForgotten(name, token));
    }

    // ---- chance

    long below(long bound) {
        return bound <= 0 ? 0 : random.nextLong(bound);
    }

    long between(long from, long to) {
        return random.nextLong(from, to);
    }

    boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    long exponential(long mean) {
        return (long) (-mean * Math.log(1 - random.nextDouble()));
    }

    /** One way. */
    long latency() {
        return plan.latencyNanos() / 2 + exponential(plan.latencyNanos());
    }

    /** Most sections are short; some outlive the lease if it is not renewed. */
    long holdNanos() {
        long lease = plan.lease().toNanos();
        if (plan.hot()) {
            return exponential(4 * plan.latencyNanos());
        }
        return draining ? below(lease / 100) : percent(80) ? exponential(lease / 20) : below(5 * lease / 2);
    }

    /** Clocks that keep to the allowance use it up: rather at its edges than in the middle. */
    double clockRate() {
        if (!plan.clocksWithin()) {
            return 0.8 + 0.45 * random.nextDouble();
        }
        double part = percent(50) ? 2 * random.nextDouble() - 1 : percent(50) ? 1 : -1;
        return 1 + 0.0049 * part;
    }
}
