package dev.holdfast.redis;

import dev.holdfast.FencingToken;
import dev.holdfast.StaleTokenException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fence for data in Redis: the token is checked in the same atomic step as the write, next to the data. Works with tokens
 * of any backend, over the connection that you have: {@code connection.sync()}, of one server or of a cluster.
 *
 * <pre>{@code
 * RedisFence fence = RedisFence.over(connection.sync());
 * fence.announce("account:7", lease.token());              // before the first read
 * fence.set("account:7", "100", lease.token());            // an older token is refused
 * }</pre>
 *
 * <p>Beside each guarded key stands one small key with the newest token, in the same slot. It has no expiry: once it is
 * gone, a stale token passes. Blocks as your connection does. Safe for use by many threads if your connection is.
 */
public final class RedisFence {
    private static final String STALE = "HOLDFAST-STALE ";
    private static final String GUARD = Script.read("guard") + "\n";
    private static final Guarded ANNOUNCE = new Guarded("return 1");
    private static final Guarded SET = new Guarded("return redis.call('SET', KEYS[2], ARGV[2])");
    private static final Guarded DELETE = new Guarded("return redis.call('DEL', KEYS[2])");

    /** A write behind its check, and what the server calls it. */
    private record Guarded(String source, String sha) {
        Guarded(String write) {
            this(GUARD + write, Script.sha1(GUARD + write));
        }
    }

    private final RedisScriptingCommands<String, String> commands;

    private RedisFence(RedisScriptingCommands<String, String> commands) {
        this.commands = Objects.requireNonNull(commands, "commands");
    }

    /** Over a connection of yours, which stays yours. */
    public static RedisFence over(RedisScriptingCommands<String, String> commands) {
        return new RedisFence(commands);
    }

    /**
     * Makes this token the newest for that key. Call it before the first read; otherwise a stale write can slip in between
     * your read and your write.
     *
     * @throws StaleTokenException if a newer token was seen; nothing changed
     */
    public void announce(String key, FencingToken token) {
        run(ANNOUNCE, ScriptOutputType.INTEGER, key, token);
    }

    /**
     * Sets the key, if this token is still the newest.
     *
     * @throws StaleTokenException if a newer token was seen; nothing was written
     */
    public void set(String key, String value, FencingToken token) {
        run(SET, ScriptOutputType.STATUS, key, token, value);
    }

    /**
     * Deletes the key, if this token is still the newest. What is known of tokens stays.
     *
     * @return whether the key was there
     * @throws StaleTokenException if a newer token was seen; nothing was deleted
     */
    public boolean delete(String key, FencingToken token) {
        return Long.valueOf(1).equals(run(DELETE, ScriptOutputType.INTEGER, key, token));
    }

    /**
     * Runs a write of your own, if this token is still the newest, in the same atomic step.
     *
     * @param lua finds the key in {@code KEYS[2]} and the arguments from {@code ARGV[2]} on; it is part of a script, so never
     *     from outside
     * @param type as for Lettuce's {@code eval}
     * @return what it answered, as Lettuce gives it for that type
     * @throws StaleTokenException if a newer token was seen; nothing was run
     */
    public @Nullable Object write(
            String key, FencingToken token, String lua, ScriptOutputType type, String... arguments) {
        return run(new Guarded(lua), type, key, token, arguments);
    }

    private @Nullable Object run(
            Guarded script, ScriptOutputType type, String key, FencingToken token, String... arguments) {
        String[] keys = {guardKey(key), key};
        String[] all = new String[arguments.length + 1];
        all[0] = token.toString();
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        try {
            try {
                return commands.evalsha(script.sha(), type, keys, all);
            } catch (RedisNoScriptException unseen) {
                return commands.eval(script.source(), type, keys, all);
            }
        } catch (RedisCommandExecutionException e) {
            throw translate(e, key, token);
        }
    }

    private static RuntimeException translate(RedisCommandExecutionException failure, String key, FencingToken token) {
        String message = String.valueOf(failure.getMessage());
        int at = message.indexOf(STALE);
        if (at < 0) {
            return failure;
        }
        String newest = message.substring(at + STALE.length()).split(" ", 2)[0];
        return new StaleTokenException(key, token, new FencingToken(Long.parseLong(newest)));
    }

    /**
     * In the slot of the data: a script can touch both, in a cluster too.
     *
     * @throws IllegalArgumentException for a key with a closing brace and no hash tag: no other key can be put beside it
     */
    static String guardKey(String key) {
        Objects.requireNonNull(key, "key");
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open + 1);
        if (close > open + 1) {
            return "holdfast:1:guard:" + key.substring(open, close + 1) + ":" + key;
        }
        if (key.isEmpty() || key.indexOf('}') >= 0) {
            throw new IllegalArgumentException("No key can be kept in the same slot as '" + key
                    + "': give it a hash tag in braces, or leave braces out of its name.");
        }
        return "holdfast:1:guard:{" + key + "}";
    }
}
