package dev.holdfast.redis;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardMove;
import dev.holdfast.GuardState;
import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.redis.lettuce.RedisAddress;
import dev.holdfast.redis.node.Keys;
import dev.holdfast.redis.node.Script;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
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
 * gone, a stale token passes. A guard that was moved has a second key, with the record. Blocks as your connection does. Safe for use by many threads if your connection is.
 */
public final class RedisFence {
    private static final String FOREIGN = "HOLDFAST-FOREIGN '";
    private static final String STALE = "HOLDFAST-STALE ";
    private static final String GENERATION = "HOLDFAST-GENERATION ";
    private static final String MARKS = Script.read("guard_marks") + "\n";
    private static final String GUARD = MARKS + Script.read("guard") + "\n";
    private static final Guarded ANNOUNCE = Guarded.of("return 1");
    private static final Guarded ANNOUNCE_READ = Guarded.alone(MARKS + Script.read("guard_read"));
    private static final Guarded SET = Guarded.of("return redis.call('SET', KEYS[2], ARGV[2])");
    private static final Guarded DELETE = Guarded.of("return redis.call('DEL', KEYS[2])");

    private static final Guarded SHOW = Guarded.alone(Script.read("guard_show"));
    private static final Guarded MOVE = Guarded.alone(Script.read("guard_move"));

    /** A script, and what the server calls it. */
    private record Guarded(String source, String sha) {
        /** A write behind its check. */
        static Guarded of(String write) {
            return alone(GUARD + write);
        }

        static Guarded alone(String source) {
            return new Guarded(source, Script.sha1(source));
        }
    }

    private final RedisScriptingCommands<String, String> commands;
    private final int generation;

    private RedisFence(RedisScriptingCommands<String, String> commands, int generation) {
        this.commands = Objects.requireNonNull(commands, "commands");
        this.generation = GuardState.requireGeneration(generation);
    }

    /** Over a connection of yours, which stays yours. */
    public static RedisFence over(RedisScriptingCommands<String, String> commands) {
        return new RedisFence(commands, 0);
    }

    /**
     * As {@link #over(RedisClient, RedisURI)}, for a URL as {@link RedisBackend#connect} takes it: of one server, or of sentinels. What
     * it says about grants does not matter here. Blocks.
     *
     * @throws IllegalArgumentException if the URL cannot be read, or is that of a cluster: pass {@code connect().sync()} of
     *     a {@code RedisClusterClient} there
     */
    public static RedisFence over(RedisClient client, String url) {
        return over(client, RedisAddress.parse(url).single());
    }

    /**
     * Over a connection that this opens with a client of yours. The connection ends with the client. Blocks.
     *
     * @throws io.lettuce.core.RedisConnectionException if the server cannot be reached or refuses us
     */
    public static RedisFence over(RedisClient client, RedisURI uri) {
        return over(client.connect(uri).sync());
    }

    /**
     * The same, for tokens of this generation: those of the lock store that is used since the keys' guards were moved there.
     * They are refused until {@link #move} has been called. Does no I/O.
     */
    public RedisFence withGeneration(int other) {
        return new RedisFence(commands, other);
    }

    /**
     * Makes this token the newest for that key. Call it before the first read; otherwise a stale write can slip in between
     * your read and your write.
     *
     * @throws StaleTokenException if a newer token was seen; nothing changed
     * @throws WrongGenerationException if the key accepts the tokens of another lock store; nothing changed
     * @throws IllegalStateException if what stands in the guard is not a token; nothing changed
     */
    public void announce(String key, FencingToken token) {
        run(ANNOUNCE, ScriptOutputType.INTEGER, key, token);
    }

    /**
     * As {@link #announce}, with the token of somebody who only reads ({@code readWriteLock(..).read()}): refused by a newer
     * writer's token only. Readers never refuse each other; writers with older tokens are refused from now on.
     *
     * @throws StaleTokenException if a newer token of a writer was seen; nothing changed
     * @throws WrongGenerationException if the key accepts the tokens of another lock store; nothing changed
     * @throws IllegalStateException if what stands in the guard is not a token; nothing changed
     */
    public void announceRead(String key, FencingToken token) {
        run(ANNOUNCE_READ, ScriptOutputType.INTEGER, key, token);
    }

    /**
     * Sets the key, if this token is still the newest.
     *
     * @throws StaleTokenException if a newer token was seen; nothing was written
     * @throws WrongGenerationException if the key accepts the tokens of another lock store; nothing was written
     * @throws IllegalStateException if what stands in the guard is not a token; nothing was written
     */
    public void set(String key, String value, FencingToken token) {
        run(SET, ScriptOutputType.STATUS, key, token, value);
    }

    /**
     * Deletes the key, if this token is still the newest. What is known of tokens stays.
     *
     * @return whether the key was there
     * @throws StaleTokenException if a newer token was seen; nothing was deleted
     * @throws WrongGenerationException if the key accepts the tokens of another lock store; nothing was deleted
     * @throws IllegalStateException if what stands in the guard is not a token; nothing was deleted
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
     * @throws WrongGenerationException if the key accepts the tokens of another lock store; nothing was run
     * @throws IllegalStateException if what stands in the guard is not a token; nothing was run
     */
    public @Nullable Object write(
            String key, FencingToken token, String lua, ScriptOutputType type, String... arguments) {
        return run(Guarded.of(lua), type, key, token, arguments);
    }

    /**
     * What the guard of this key has seen, and how it was moved. Empty: nobody has presented a token yet. Changes nothing.
     *
     * @throws IllegalStateException if what stands in the guard is not a token, or its record of moves cannot be read
     */
    public Optional<GuardState> inspect(String key) {
        String[] keys = {Keys.guard(key), moves(key)};
        List<String> answer = new ArrayList<>();
        if (eval(SHOW, ScriptOutputType.MULTI, keys) instanceof List<?> lines) {
            lines.forEach(line -> answer.add(String.valueOf(line)));
        }
        return answer.isEmpty()
                ? Optional.empty()
                : Optional.of(GuardText.state(keys[0], answer.get(0), keys[1], answer.subList(1, answer.size())));
    }

    /**
     * Moves the guard of this key to the tokens of another lock store, which may be smaller: from now on it accepts only
     * tokens of that generation ({@link #withGeneration}) and refuses all earlier ones, whatever their size. The move is
     * recorded in a key beside it, in the same atomic step. docs/fencing.md has the order of steps.
     *
     * @param shown what {@link #inspect} returned: the guard is moved only if nothing was announced or moved since
     * @param by who does it; recorded
     * @return false if the guard is not as it was shown; nothing was changed
     * @throws IllegalArgumentException if the generation is not later than the one that was shown
     */
    public boolean move(String key, GuardState shown, int toGeneration, String by) {
        GuardMove move = GuardMove.of(shown, toGeneration, by, Instant.now());
        String[] keys = {Keys.guard(key), moves(key)};
        String[] arguments = {GuardText.of(shown), GuardText.of(toGeneration, 0), GuardText.record(move)};
        return Long.valueOf(1).equals(eval(MOVE, ScriptOutputType.INTEGER, keys, arguments));
    }

    /** In the slot of the guard, and the guard of no other key: only the word after the prefix differs. */
    private static String moves(String key) {
        return Keys.guard(key).replaceFirst("guard:", "guardmoves:");
    }

    private @Nullable Object run(
            Guarded script, ScriptOutputType type, String key, FencingToken token, String... arguments) {
        String[] keys = {Keys.guard(key), key};
        String[] all = new String[arguments.length + 1];
        all[0] = GuardText.of(generation, token.value());
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        try {
            return eval(script, type, keys, all);
        } catch (RedisCommandExecutionException e) {
            throw translate(e, key, token);
        }
    }

    private @Nullable Object eval(Guarded script, ScriptOutputType type, String[] keys, String... arguments) {
        try {
            return commands.evalsha(script.sha(), type, keys, arguments);
        } catch (RedisNoScriptException unseen) {
            return commands.eval(script.source(), type, keys, arguments);
        }
    }

    private RuntimeException translate(RedisCommandExecutionException failure, String key, FencingToken token) {
        String message = String.valueOf(failure.getMessage());
        int foreign = message.indexOf(FOREIGN);
        if (foreign >= 0) {
            return GuardText.unreadable(
                    Keys.guard(key), message.substring(foreign + FOREIGN.length(), message.lastIndexOf('\'')));
        }
        int stale = message.indexOf(STALE);
        if (stale >= 0) {
            String newest = message.substring(stale + STALE.length()).split(" ", 2)[0];
            return new StaleTokenException(key, token, new FencingToken(GuardText.token(Keys.guard(key), newest)));
        }
        int other = message.indexOf(GENERATION);
        if (other >= 0) {
            String seen = message.substring(other + GENERATION.length()).split(" ", 2)[0];
            return new WrongGenerationException(key, token, generation, GuardText.generation(Keys.guard(key), seen));
        }
        return failure;
    }
}
