package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ManualTime;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When the next connection is tried. */
class LettuceLinkTest {
    private final ManualTime time = new ManualTime();
    private final Deque<CompletableFuture<StatefulRedisConnection<String, String>>> attempts = new ArrayDeque<>();
    private final List<StatefulRedisConnection<String, String>> opened = new ArrayList<>();
    private final List<Object> left = new ArrayList<>();
    private boolean noThread;
    private boolean outdated;
    private final LettuceLink<StatefulRedisConnection<String, String>> link = new LettuceLink<>(
            () -> {
                if (noThread) {
                    throw new Error("unable to create native thread");
                }
                outdated = false;
                attempts.add(new CompletableFuture<>());
                return attempts.getLast();
            },
            () -> outdated);

    private void start() {
        link.start(time, new LettuceLink.Watcher<>() {
            @Override
            public void opened(StatefulRedisConnection<String, String> connection) {
                opened.add(connection);
            }

            @Override
            public void failed(Throwable why) {}
        });
    }

    /** The attempt under way ends, after that long. */
    private void failAfter(Duration duration) {
        time.advance(duration);
        attempts.remove().completeExceptionally(new IllegalStateException("no answer"));
    }

    /** The attempt under way succeeds. */
    private StatefulRedisConnection<String, String> succeed() {
        StatefulRedisConnection<String, String> connection = connection();
        attempts.remove().complete(connection);
        return connection;
    }

    @SuppressWarnings("unchecked") // The interface has no more than these parameters.
    private StatefulRedisConnection<String, String> connection() {
        return (StatefulRedisConnection<String, String>) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {StatefulRedisConnection.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "isOpen" -> true;
                    case "closeAsync" -> {
                        left.add(proxy);
                        yield CompletableFuture.completedFuture(null);
                    }
                    case "equals" -> proxy == args[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> null;
                });
    }

    /** In milliseconds. */
    private long untilTheNext() {
        long millis = 0;
        while (attempts.isEmpty() && millis < 10_000) {
            time.advance(Duration.ofMillis(1));
            millis++;
        }
        return millis;
    }

    @Test
    void aServerThatHangsIsTriedAgainAtOnce() {
        // Each attempt waits for two seconds. A pause of up to two more came behind it, and a server that went on
        // meanwhile
        // kept votes that nobody used for so long.
        start();
        for (int i = 0; i < 10; i++) {
            failAfter(Duration.ofSeconds(2));
            time.advance(Duration.ofMillis(20));
            assertThat(attempts).hasSize(1);
        }
    }

    @Test
    void aServerThatRefusesIsTriedLessAndLessOften() {
        start();
        for (int i = 0; i < 10; i++) {
            failAfter(Duration.ZERO);
            untilTheNext();
        }
        failAfter(Duration.ZERO);
        assertThat(untilTheNext()).as("64 times 20 ms, half of it at least").isGreaterThan(600);
    }

    @Test
    void anErrorIsAnAttemptThatFailed() {
        // No thread for the connection. The attempt counted as under way for ever: there was never another one, and
        // closing
        // waited for it.
        start();
        noThread = true;
        failAfter(Duration.ZERO);
        time.advance(Duration.ofSeconds(10));
        assertThat(link.failure()).hasMessage("unable to create native thread");
        noThread = false;
        untilTheNext();
        assertThat(attempts).hasSize(1);
        failAfter(Duration.ZERO);
        assertThat(link.close()).isCompleted();
    }

    @Test
    void newsEndThePauseBetweenAttempts() {
        start();
        for (int i = 0; i < 10; i++) {
            failAfter(Duration.ZERO);
            untilTheNext();
        }
        failAfter(Duration.ZERO);
        link.review();
        assertThat(attempts).hasSize(1);
    }

    @Test
    void theEndOfAPauseReplacesNothingThatCameMeanwhile() {
        // What is under way on a connection fails when it is replaced.
        start();
        failAfter(Duration.ZERO);
        link.review();
        StatefulRedisConnection<String, String> connection = succeed();
        time.advance(Duration.ofSeconds(10));
        assertThat(attempts).isEmpty();
        assertThat(link.current()).isSameAs(connection);
        assertThat(left).isEmpty();
    }

    @Test
    void aConnectionThatLeadsToTheWrongPlaceIsLeftAtOnce() {
        start();
        StatefulRedisConnection<String, String> first = succeed();
        link.review();
        assertThat(link.current()).as("nothing has changed").isSameAs(first);
        outdated = true;
        link.review();
        assertThat(link.current()).isNull();
        assertThat(left).containsExactly(first);
        StatefulRedisConnection<String, String> second = succeed();
        assertThat(link.current()).isSameAs(second);
        assertThat(opened).containsExactly(first, second);
    }

    @Test
    void aConnectionThatLedToTheWrongPlaceBeforeItStoodIsNotUsed() {
        // Asked for the master, then heard of another one, and only then connected to the first.
        start();
        outdated = true;
        link.review();
        StatefulRedisConnection<String, String> wrong = succeed();
        assertThat(link.current()).isNull();
        assertThat(left).containsExactly(wrong);
        StatefulRedisConnection<String, String> right = succeed();
        assertThat(opened).containsExactly(right);
    }
}
