package dev.holdfast.simulation;

import dev.holdfast.simulation.RedisMemory.RedisError;
import java.util.function.LongConsumer;

/**
 * What the locks protect: one number for each name, behind the shipped guard or without it. Everybody who holds the lock
 * reads it and writes one more. Requests and answers may take long on the way; the resource itself is always there.
 */
final class Resource {
    /** The answer to a write or an announcement that came too late. */
    static final long STALE = -1;

    private static final String ANNOUNCE = SimulatedBackends.GUARD + "return 1";
    private static final String SET = SimulatedBackends.GUARD + "return redis.call('SET', KEYS[2], ARGV[2])";

    private final World world;
    private final RedisMemory memory = new RedisMemory(new RedisMemory.Surroundings() {
        @Override
        public long micros() {
            return world.now / 1000;
        }

        @Override
        public long publish(String channel, String message) {
            return 0;
        }
    });
    int writes;
    int refused;

    Resource(World world) {
        this.world = world;
    }

    void announce(Client from, String name, long token, LongConsumer then) {
        send(from, () -> run(from, ANNOUNCE, name, token, 0), then);
    }

    void read(Client from, String name, LongConsumer then) {
        send(from, () -> value(name), then);
    }

    void write(Client from, String name, long token, long basis, LongConsumer then) {
        send(from, () -> writeNow(from, name, token, basis), then);
    }

    private long writeNow(Client from, String name, long token, long basis) {
        long before = value(name);
        long answer;
        if (world.plan.guarded()) {
            answer = run(from, SET, name, token, basis + 1);
        } else {
            memory.call("SET", key(name), Long.toString(basis + 1));
            answer = 1;
        }
        world.trace.mark(world.now, -2, token ^ answer);
        if (answer == STALE) {
            refused++;
            tell(Trace.Kind.REFUSED_WRITE, name, token, from.name() + " writes and is refused: its token is stale");
        } else {
            writes++;
            tell(Trace.Kind.WRITE, name, token, from.name() + " writes " + (basis + 1) + " over " + before);
            world.checks.wrote(name, token, basis, before);
        }
        return answer;
    }

    private void tell(Trace.Kind kind, String name, long token, String text) {
        if (world.trace.telling) {
            world.trace.tell(world.now, "resource", kind, name, token, text);
        }
    }

    private long run(Client from, String script, String name, long token, long value) {
        String[] keys = {SimulatedBackends.guardKey(key(name)), key(name)};
        String[] arguments = {Long.toString(token), Long.toString(value)};
        world.scripts++;
        try {
            world.lua.eval(memory, script, keys, arguments);
            return 1;
        } catch (RedisError e) {
            if (String.valueOf(e.getMessage()).startsWith("HOLDFAST-STALE")) {
                return STALE;
            }
            world.checks.fail("the guard failed for " + from.name() + ": " + e.getMessage());
            return STALE;
        }
    }

    private long value(String name) {
        String value = memory.peek(key(name));
        return value == null ? 0 : Long.parseLong(value);
    }

    private static String key(String name) {
        return "number:" + name;
    }

    private void send(Client from, java.util.function.LongSupplier what, LongConsumer then) {
        world.at(world.now + from.lagNanos() + delay(), () -> {
            long answer = what.getAsLong();
            world.at(world.now + delay(), from, () -> then.accept(answer));
        });
    }

    /** Now and then a packet takes the long way. */
    private long delay() {
        boolean late = world.isFaulty() && world.percent(2);
        return world.latency() + (late ? world.below(2 * world.plan.lease().toNanos()) : 0);
    }
}
