package dev.holdfast.lab.client;

import dev.holdfast.FencingToken;
import dev.holdfast.StaleTokenException;
import dev.holdfast.lab.wire.Lane;
import dev.holdfast.redis.RedisFence;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;

/**
 * The account that the lock protects: a balance that is read, raised here and written back, so that every overlap of two
 * holders loses a deposit. The guard is Holdfast's own for data in Redis.
 */
final class Account implements AutoCloseable {
    /** The sum of all deposits stands beside the balance and is raised in the same step, so it is always right. */
    private static final String WRITE = """
            local old = redis.call('GET', %1$s) or '0'
            redis.call('SET', %1$s, ARGV[%2$d])
            redis.call('INCRBY', %1$s .. ':deposits', ARGV[%3$d])
            redis.call('LPUSH', %1$s .. ':entries', ARGV[%4$d] .. ' ' .. old .. ' ' .. ARGV[%2$d])
            redis.call('LTRIM', %1$s .. ':entries', 0, 7)
            return 1
            """;

    /** Behind the guard the key is the second, and the first argument is the token. */
    private static final String GUARDED_WRITE = WRITE.formatted("KEYS[2]", 2, 3, 4);

    private static final String FREE_WRITE = WRITE.formatted("KEYS[1]", 1, 2, 3);

    private final RedisClient client;
    private final RedisCommands<String, String> commands;
    private final RedisFence fence;
    private final String name;

    /** Connects. Blocks. */
    Account(String name, int port) {
        this.name = name;
        client = RedisClient.create("redis://127.0.0.1:" + port);
        commands = client.connect().sync();
        fence = RedisFence.over(commands);
    }

    /** Shows the token first: from then on older ones are refused. */
    long readGuarded(Lane lane, long token) throws StaleTokenException {
        fence.announce(lane.accountKey(), new FencingToken(token));
        return read(lane);
    }

    long read(Lane lane) {
        String balance = commands.get(lane.accountKey());
        return balance == null ? 0 : Long.parseLong(balance);
    }

    void writeGuarded(Lane lane, long balance, long deposit, long token) throws StaleTokenException {
        Object unused = fence.write(
                lane.accountKey(),
                new FencingToken(token),
                GUARDED_WRITE,
                ScriptOutputType.INTEGER,
                Long.toString(balance),
                Long.toString(deposit),
                name + " " + deposit + " " + token);
    }

    void write(Lane lane, long balance, long deposit, long token) {
        Object unused = commands.eval(
                FREE_WRITE,
                ScriptOutputType.INTEGER,
                new String[] {lane.accountKey()},
                Long.toString(balance),
                Long.toString(deposit),
                name + " " + deposit + " " + token);
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
