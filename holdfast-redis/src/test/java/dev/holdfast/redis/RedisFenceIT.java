package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FencingToken;
import dev.holdfast.StaleTokenException;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.tck.FenceContract;
import dev.holdfast.tck.GuardedNumber;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The story of the paused holder on data in a real Redis. */
class RedisFenceIT extends FenceContract {
    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static RedisClient client;
    private static RedisCommands<String, String> commands;

    private final FencingToken older = new FencingToken(5);
    private final FencingToken newer = new FencingToken(6);

    @BeforeAll
    static void connect() {
        client = RedisClient.create(redis.url());
        commands = client.connect().sync();
    }

    @AfterAll
    static void disconnect() {
        client.shutdown();
    }

    @Override
    protected GuardedNumber newNumber() {
        return new RedisNumber("number:" + NUMBERS.incrementAndGet());
    }

    @Test
    void aDeletionIsGuardedAndForgetsNoToken() {
        RedisFence fence = RedisFence.over(commands);
        fence.set("gone", "1", newer);
        assertThatThrownBy(() -> fence.delete("gone", older)).isInstanceOf(StaleTokenException.class);
        assertThat(fence.delete("gone", newer)).isTrue();
        assertThat(fence.delete("gone", newer)).isFalse();
        assertThatThrownBy(() -> fence.set("gone", "2", older)).isInstanceOf(StaleTokenException.class);
        assertThat(commands.get("gone")).isNull();
    }

    @Test
    void aWriteOfYourOwnRunsBehindTheCheck() {
        RedisFence fence = RedisFence.over(commands);
        String add = "return redis.call('HINCRBY', KEYS[2], ARGV[2], ARGV[3])";
        Object sum = fence.write("sums", newer, add, ScriptOutputType.INTEGER, "a", "3");
        assertThat(sum).isEqualTo(3L);
        assertThatThrownBy(() -> fence.write("sums", older, add, ScriptOutputType.INTEGER, "a", "4"))
                .isInstanceOf(StaleTokenException.class);
        assertThat(commands.hget("sums", "a")).isEqualTo("3");
    }

    @Test
    void scriptsThatTheServerForgotAreSentAgain() {
        RedisFence fence = RedisFence.over(commands);
        fence.set("flushed", "1", older);
        commands.scriptFlush();
        fence.set("flushed", "2", newer);
        assertThat(commands.get("flushed")).isEqualTo("2");
    }

    @Test
    void errorsOfTheWriteItselfArePassedOn() {
        RedisFence fence = RedisFence.over(commands);
        commands.lpush("a-list", "x");
        assertThatThrownBy(() ->
                        fence.write("a-list", newer, "return redis.call('INCR', KEYS[2])", ScriptOutputType.INTEGER))
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessageContaining("WRONGTYPE");
    }

    private record RedisNumber(String key) implements GuardedNumber {
        @Override
        public long read() {
            String value = commands.get(key);
            return value == null ? 0 : Long.parseLong(value);
        }

        @Override
        public void overwrite(long value) {
            commands.set(key, Long.toString(value));
        }

        @Override
        public void announce(FencingToken token) {
            RedisFence.over(commands).announce(key, token);
        }

        @Override
        public void write(FencingToken token, long value) {
            RedisFence.over(commands).set(key, Long.toString(value), token);
        }

        @Override
        public boolean writeIfUnchanged(long expected, long value) {
            // WATCH, read, MULTI, EXEC: how Redis does optimistic locking.
            commands.watch(key);
            if (read() != expected) {
                commands.unwatch();
                return false;
            }
            commands.multi();
            commands.set(key, Long.toString(value));
            return !commands.exec().wasDiscarded();
        }
    }
}
