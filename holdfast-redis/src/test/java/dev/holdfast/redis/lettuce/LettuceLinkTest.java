package dev.holdfast.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ManualTime;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When the next connection is tried. */
class LettuceLinkTest {
    private final ManualTime time = new ManualTime();
    private final Deque<CompletableFuture<StatefulRedisConnection<String, String>>> attempts = new ArrayDeque<>();
    private boolean noThread;
    private final LettuceLink<StatefulRedisConnection<String, String>> link = new LettuceLink<>(() -> {
        if (noThread) {
            throw new Error("unable to create native thread");
        }
        attempts.add(new CompletableFuture<>());
        return attempts.getLast();
    });

    private void start() {
        link.start(time, new LettuceLink.Watcher<>() {
            @Override
            public void opened(StatefulRedisConnection<String, String> connection) {}

            @Override
            public void failed(Throwable why) {}
        });
    }

    /** The attempt under way ends, after that long. */
    private void failAfter(Duration duration) {
        time.advance(duration);
        attempts.remove().completeExceptionally(new IllegalStateException("no answer"));
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
}
