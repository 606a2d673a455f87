package dev.holdfast.simulation;

import dev.holdfast.redis.node.RedisNode.Identity;
import dev.holdfast.redis.node.Script;
import dev.holdfast.simulation.RedisMemory.RedisError;
import dev.holdfast.simulation.Route.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A Redis server: its memory, its clock, who is connected, and whether it runs at all. */
final class Server implements RedisMemory.Surroundings {
    /** What comes back for a request: the answer, or the server's words. */
    record Answer(@Nullable List<Object> reply, @Nullable String error) {}

    interface Request {
        Answer run();
    }

    private static final long LONGEST_LAG_NANOS = 1_000_000_000L;

    private final World world;
    final int number;
    final RedisMemory memory = new RedisMemory(this);
    final ServerChecks serverChecks;
    private final Map<String, Set<Connection>> subscribers = new LinkedHashMap<>();
    private final Set<String> scripts = new HashSet<>();
    private final ArrayDeque<Runnable> backlog = new ArrayDeque<>();
    private long clockMicros;
    private long clockSetNanos;
    private double clockRate;
    private int starts = 1;
    private int failovers;
    boolean up = true;
    /** Whether it says so when it is down; otherwise nobody answers at all. */
    private boolean refuses = true;

    long pausedUntil;

    Server(World world, int number) {
        this.world = world;
        this.number = number;
        this.serverChecks = new ServerChecks(world, this);
        clockRate = world.clockRate();
        clockMicros = 1_763_000_000_000_000L + world.below(world.plan.isQuorum() ? 50_000 : 1_000_000_000L);
        clockSetNanos = world.now;
        if (world.plan.isQuorum()) {
            memory.call(
                    "SET",
                    SimulatedBackends.admissionKey(),
                    admission()
                            + world.plan.maxLease().toMillis()
                            + SimulatedBackends.admittedTo(world.plan.servers()));
        }
        if (!world.plan.keepsWrites()) {
            memory.keepChanges(LONGEST_LAG_NANOS);
        }
    }

    String name() {
        return "server " + number;
    }

    Identity identity() {
        return new Identity("run" + number + "." + starts, "data" + number + "." + failovers, "7.0.15", true);
    }

    // ---- its clock

    @Override
    public long micros() {
        return clockMicros + (long) ((world.now - clockSetNanos) * clockRate / 1000);
    }

    void setClock(long byMicros) {
        clockMicros = Math.max(1_000_000_000_000_000L, micros() + byMicros);
        clockSetNanos = world.now;
    }

    // ---- requests

    /** Arrived. Carried out now, or when the server runs again. */
    void receive(Connection from, Request request, java.util.function.Consumer<Answer> answer) {
        if (!up) {
            return;
        }
        if (isPaused()) {
            backlog.add(() -> receive(from, request, answer));
            return;
        }
        memory.at(world.now);
        Answer said = request.run();
        if (from.serverOpen) {
            from.sendDown(() -> answer.accept(said));
        }
    }

    Answer eval(Script script, boolean withSource, String[] keys, String[] arguments) {
        String source = script.source();
        if (!withSource && !scripts.contains(source)) {
            return new Answer(null, "NOSCRIPT No matching script. Please use EVAL.");
        }
        scripts.add(source);
        world.scripts++;
        serverChecks.begins(script.name());
        try {
            List<Object> reply = world.lua.eval(memory, source, keys, arguments);
            world.keptChecks.carriedOut(this, script, keys, arguments, reply);
            return new Answer(reply, null);
        } catch (RedisError e) {
            world.checks.fail(name() + " failed in " + script + ": " + e.getMessage());
            return new Answer(null, e.getMessage());
        }
    }

    Answer time() {
        return new Answer(asList(memory.call("TIME")), null);
    }

    @SuppressWarnings("unchecked")
    private static List<Object> asList(@Nullable Object value) {
        return value == null ? List.of() : (List<Object>) value;
    }

    boolean hasRestarted() {
        return starts > 1;
    }

    /** Runs and votes. */
    boolean isHealthy() {
        return up && !isPaused() && votes();
    }

    private boolean isPaused() {
        return world.now < pausedUntil;
    }

    void pause(long untilNanos) {
        pausedUntil = Math.max(pausedUntil, untilNanos);
        world.at(pausedUntil, this::resume);
    }

    private void resume() {
        if (!isPaused()) {
            Runnable next;
            while ((next = backlog.poll()) != null) {
                next.run();
            }
        }
    }

    // ---- connections

    void subscribe(Connection connection, String channel) {
        subscribers
                .computeIfAbsent(channel, key -> new java.util.LinkedHashSet<>())
                .add(connection);
    }

    boolean hasSubscriber(String channel) {
        return subscribers.containsKey(channel);
    }

    void closed(Connection connection) {
        connection.serverOpen = false;
        subscribers.values().forEach(all -> all.remove(connection));
        subscribers.values().removeIf(Set::isEmpty);
    }

    @Override
    public long publish(String channel, String message) {
        Set<Connection> to = subscribers.getOrDefault(channel, Set.of());
        for (Connection each : List.copyOf(to)) {
            each.sendDown(() -> each.process().nodeFor(this).message(each, message));
        }
        serverChecks.published(message);
        return to.size();
    }

    @Override
    public void wrote(String key, String value, long millis) {
        serverChecks.wrote(key, value, millis);
    }

    @Override
    public void popped(String key, String value) {
        serverChecks.popped(key, value);
    }

    // ---- crashes

    /** Down, and up again with what it remembers then. */
    void crash(Fault how, long downNanos) {
        if (!up) {
            return;
        }
        up = false;
        starts++;
        backlog.clear();
        pausedUntil = 0;
        scripts.clear();
        refuses = world.percent(60);
        long comesBack = world.now + downNanos;
        for (Route route : world.routesTo(this)) {
            for (Connection connection : new ArrayList<>(route.connections)) {
                connection.reset((refuses ? world.now : comesBack) + world.latency());
                closed(connection);
            }
        }
        if (how == Fault.SERVER_AMNESIA) {
            memory.clear();
        } else if (how == Fault.SERVER_LOSES_SECOND) {
            memory.rollBack(world.now - LONGEST_LAG_NANOS);
        } else if (how == Fault.FAILOVER) {
            failovers++;
            memory.rollBack(world.now - world.below(LONGEST_LAG_NANOS));
            // The clock of another machine. Where clocks are good, its error is smaller than the time it took.
            setClock(world.plan.clocksWithin() ? -downNanos / 2000 : world.below(4_000_000) - 2_000_000);
            clockRate = world.clockRate();
        }
        if (how.losesWrites()) {
            serverChecks.lostWrites();
            world.checks.lostWrites();
            world.keptChecks.lostWrites(this);
        }
        world.at(comesBack, () -> up = true);
    }

    void flush() {
        if (up) {
            memory.clear();
            serverChecks.lostWrites();
            world.checks.lostWrites();
            world.keptChecks.lostWrites(this);
        }
    }

    /** Whether a quorum knows that this memory is whole; always true of a server alone. */
    boolean votes() {
        String record = memory.peek(SimulatedBackends.admissionKey());
        return !world.plan.isQuorum() || (record != null && record.startsWith(admission()));
    }

    private String admission() {
        return SimulatedBackends.admission(identity(), world.plan.servers());
    }

    boolean refusesConnections() {
        return !up && refuses;
    }
}
