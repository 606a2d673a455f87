package dev.holdfast.simulation;

import dev.holdfast.redis.node.Script;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Looks over one server's shoulder: who was granted what when, in which order, and for how long. What it checks holds at
 * every single step of the server, whatever happens around it.
 */
final class ServerChecks {
    private record Popped(String owner, boolean alive) {}

    /** The blocks of one name, by their last token, with the true time of the grant. */
    private static final class Blocks {
        final TreeMap<Long, Long> grantedNanos = new TreeMap<>();
        String owner = "";
        long last;
    }

    private final World world;
    private final Server server;
    private final Map<String, Blocks> names = new HashMap<>();
    private final List<Popped> popped = new ArrayList<>();
    private String pushedTo = "";
    /** What is written now is the lock of whoever has it, for another time: no grant, even if its grant was forgotten here. */
    private boolean keeps;

    private long lostNanos = Long.MIN_VALUE;

    ServerChecks(World world, Server server) {
        this.world = world;
        this.server = server;
    }

    /** A script begins: what comes until the next one is one step. */
    void begins(String script) {
        popped.clear();
        pushedTo = "";
        keeps = script.equals(Script.RELEASE_LATER.name());
    }

    void published(String message) {
        pushedTo = word(message, 0);
    }

    void popped(String key, String entry) {
        if (world.plan.isQuorum()) {
            return;
        }
        boolean counted = word(entry, 4).equals("1");
        popped.add(new Popped(word(entry, 0), !counted || server.hasSubscriber(word(entry, 1))));
    }

    void wrote(String key, String value, long millis) {
        int at = key.indexOf("}:lock:");
        if (at < 0 || keeps) {
            return;
        }
        if (world.plan.isQuorum()) {
            if (world.trace.telling) {
                world.trace.tell(world.now, server.name(), "writes " + value);
            }
            return;
        }
        String name = key.substring(at + 7);
        String owner = word(value, 0);
        long token = Long.parseLong(word(value, 1));
        long tokens = Long.parseLong(word(value, 2));
        Blocks blocks = names.computeIfAbsent(name, unused -> new Blocks());
        if (owner.equals(blocks.owner) && token == blocks.last) {
            return;
        }
        granted(blocks, name, owner, token, tokens);
        checkTurn(name, owner);
        if (pushedTo.equals(owner) && millis > world.plan.window().toMillis()) {
            world.checks.fail("'" + name + "' was granted provisionally for " + millis
                    + " ms, which is longer than the claim window");
        }
    }

    private void granted(Blocks blocks, String name, String owner, long token, long tokens) {
        if (token - tokens < blocks.last) {
            world.checks.fail(server.name() + " granted tokens up to " + token + " of '" + name + "', " + tokens
                    + " of them, after " + blocks.last);
        }
        blocks.owner = owner;
        blocks.last = token;
        blocks.grantedNanos.put(token, world.now);
        if (world.trace.telling) {
            world.trace.tell(
                    world.now,
                    server.name(),
                    Trace.Kind.TAKEN,
                    name,
                    token,
                    "grants '" + name + "' up to token " + token + (pushedTo.equals(owner) ? ", pushed" : ""));
        }
    }

    /** First come, first served, among those that can be reached. */
    private void checkTurn(String name, String owner) {
        boolean waited = false;
        for (Popped each : popped) {
            if (each.owner.equals(owner)) {
                waited = true;
            } else if (each.alive) {
                world.checks.fail("'" + name + "' was granted past a waiter that can be reached");
            }
        }
        if (!waited && !world.queueOf(server, name).isEmpty()) {
            world.checks.fail("'" + name + "' was granted to a newcomer while others were queued");
        }
    }

    /** The server has forgotten something. Where its clock is not to be trusted either, the order begins anew. */
    void lostWrites() {
        lostNanos = world.now;
        if (!world.plan.clocksWithin() && !world.plan.isQuorum()) {
            names.clear();
            world.checks.forgetTokens();
        }
    }

    /** Whether the server may have forgotten the tenure to which this token belongs. */
    boolean mayBeForgotten(String name, long token) {
        Long granted = grantedNanos(name, token);
        return lostNanos > Long.MIN_VALUE && (granted == null || granted <= lostNanos);
    }

    @Nullable
    Long grantedNanos(String name, long token) {
        Blocks blocks = names.get(name);
        Map.Entry<Long, Long> block = blocks == null ? null : blocks.grantedNanos.ceilingEntry(token);
        return block == null ? null : block.getValue();
    }

    /** A field of a value that is separated by single spaces. */
    static String word(String text, int index) {
        int from = 0;
        for (int i = 0; i < index; i++) {
            from = text.indexOf(' ', from) + 1;
        }
        int to = text.indexOf(' ', from);
        return to < 0 ? text.substring(from) : text.substring(from, to);
    }
}
