package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardState;
import dev.holdfast.StaleTokenException;
import dev.holdfast.WrongGenerationException;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.tck.FenceContract;
import dev.holdfast.tck.GuardedNumber;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
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
        return new RedisNumber("number:" + NUMBERS.incrementAndGet(), RedisFence.over(commands));
    }

    @Test
    void anAddressMayBeATextOrARedisUri() {
        RedisFence.over(client, redis.url()).announce("address", newer);
        RedisFence byUri = RedisFence.over(client, RedisURI.create(redis.url()));
        assertThatThrownBy(() -> byUri.set("address", "1", older)).isInstanceOf(StaleTokenException.class);
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
    void aGuardThatHoldsNoTokenLetsNothingPass() {
        // Anything shorter than a token counted as an older one: the write went through, and what stood there was lost.
        RedisFence fence = RedisFence.over(commands);
        commands.set("damaged", "1");
        for (String value : List.of(
                "", "abc", "-5", "1:", ":1", "1:2:3", "0x1", " 7", "99999999999999999999999", "5,", ",5", "5,6,7")) {
            commands.set("holdfast:guard:{damaged}", value);
            assertThatThrownBy(() -> fence.set("damaged", "2", new FencingToken(1_763_193_600_123_456L)))
                    .as("over '%s'", value)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("holdfast:guard:{damaged}")
                    .hasMessageContaining("'" + value + "'");
            assertThatThrownBy(() -> fence.withGeneration(1).announce("damaged", newer))
                    .as("over '%s'", value)
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> fence.announceRead("damaged", newer))
                    .as("read over '%s'", value)
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> fence.inspect("damaged"))
                    .as("shown '%s'", value)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("holdfast:guard:{damaged}");
            assertThat(commands.get("holdfast:guard:{damaged}")).isEqualTo(value);
        }
        assertThat(commands.get("damaged")).isEqualTo("1");
    }

    @Test
    void aRecordOfMovesThatCannotBeReadIsNamed() {
        // NumberFormatException: For input string: "garbage".
        RedisFence fence = RedisFence.over(commands);
        fence.set("recorded", "1", older);
        for (String line : List.of("garbage", "", "1 2 3 4", "1 2 3 now alice")) {
            commands.del("holdfast:guardmoves:{recorded}");
            commands.rpush("holdfast:guardmoves:{recorded}", line);
            assertThatThrownBy(() -> fence.inspect("recorded"))
                    .as("shown '%s'", line)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("holdfast:guardmoves:{recorded}");
        }
        // The guard itself goes on.
        fence.set("recorded", "2", newer);
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
    void aReaderIsRememberedBesideTheWriterUntilTheNextWrite() {
        RedisFence fence = RedisFence.over(commands);
        String guard = "holdfast:guard:{read-and-written}";
        fence.announceRead("read-and-written", new FencingToken(4));
        assertThat(commands.get(guard)).isEqualTo("0,4");
        fence.announce("read-and-written", new FencingToken(5));
        assertThat(commands.get(guard)).isEqualTo("5");
        fence.announceRead("read-and-written", new FencingToken(5));
        assertThat(commands.get(guard)).isEqualTo("5");
        fence.announceRead("read-and-written", new FencingToken(12));
        fence.announceRead("read-and-written", new FencingToken(9));
        assertThat(commands.get(guard)).isEqualTo("5,12");
        fence.set("read-and-written", "x", new FencingToken(12));
        assertThat(commands.get(guard)).isEqualTo("12");
        assertThat(commands.ttl(guard)).isEqualTo(-1);
    }

    @Test
    void theRecordOfOneKeyIsTheGuardOfNoOther() {
        // Keys with a hash tag whose names are made of the words that our own keys are made of.
        RedisFence fence = RedisFence.over(commands);
        List<String> keys = List.of("{t}a", "{t}a:moves", "{t}guard:a", "{t}guardmoves:a", "guard:", "guardmoves:");
        for (String key : keys) {
            assertThat(fence.inspect(key)).isEmpty();
            fence.announce(key, newer);
            assertThat(fence.move(key, fence.inspect(key).orElseThrow(), 1, "alice"))
                    .isTrue();
        }
        for (String key : keys) {
            assertThat(fence.inspect(key).orElseThrow().moves()).hasSize(1);
            fence.withGeneration(1).set(key, "1", older);
            assertThatThrownBy(() -> fence.set(key, "2", newer)).isInstanceOf(WrongGenerationException.class);
        }
    }

    @Test
    void aNewKeyTakesTheGenerationOfItsFirstToken() {
        // Created after the stores were changed. A process of the old store that comes later is refused.
        RedisFence fence = RedisFence.over(commands);
        fence.withGeneration(12).set("born-later", "1", older);
        assertThatThrownBy(() -> fence.set("born-later", "2", newer)).isInstanceOf(WrongGenerationException.class);
        assertThatThrownBy(() -> fence.withGeneration(1).set("born-later", "2", newer))
                .isInstanceOfSatisfying(
                        WrongGenerationException.class,
                        wrong -> assertThat(wrong.current()).isEqualTo(12));
        fence.withGeneration(12).set("born-later", "3", newer);
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

    private record RedisNumber(String key, RedisFence fence) implements GuardedNumber {
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
            fence.announce(key, token);
        }

        @Override
        public void announceRead(FencingToken token) {
            fence.announceRead(key, token);
        }

        @Override
        public void write(FencingToken token, long value) {
            fence.set(key, Long.toString(value), token);
        }

        @Override
        public GuardedNumber withGeneration(int generation) {
            return new RedisNumber(key, fence.withGeneration(generation));
        }

        @Override
        public GuardState inspect() {
            return fence.inspect(key).orElseThrow();
        }

        @Override
        public boolean move(GuardState shown, int toGeneration, String by) {
            return fence.move(key, shown, toGeneration, by);
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
