package dev.holdfast.redis.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** When a process looks at names whose locks it gave away. Virtual time. */
class HandOverWatchTest {
    private static final Duration WINDOW = Duration.ofSeconds(2);

    private final ManualTime time = new ManualTime();
    private final List<String> looks = new ArrayList<>();
    private final HandOverWatch watch = new HandOverWatch(time, WINDOW, name -> {
        looks.add(name);
        return CompletableFuture.completedStage(0L);
    });

    @Test
    void aLockThatWasReleasedForLaterIsLookedAtWhenItIsFree() {
        watch.freeAfter("a", 60_000);
        time.advance(Duration.ofSeconds(60));
        assertThat(looks).isEmpty();
        time.advance(Duration.ofSeconds(1));
        assertThat(looks).containsExactly("a");
        time.advance(Duration.ofMinutes(10));
        assertThat(looks).hasSize(1);
    }

    @Test
    void aHandOverBeforeThatIsLookedAtAfterItsWindow() {
        // The lock was broken, and the next one does not come. The timer for the longer time used to be all there was.
        watch.freeAfter("a", 60_000);
        time.advance(Duration.ofSeconds(1));
        watch.handedOver("a", WINDOW.toMillis());
        time.advance(WINDOW.plusMillis(100));
        assertThat(looks).containsExactly("a");
        time.advance(Duration.ofMinutes(10));
        assertThat(looks).hasSize(1);
    }

    @Test
    void aLaterEndMovesTheLook() {
        watch.handedOver("a", WINDOW.toMillis());
        watch.freeAfter("a", 60_000);
        time.advance(Duration.ofSeconds(60));
        assertThat(looks).isEmpty();
        time.advance(Duration.ofSeconds(1));
        assertThat(looks).containsExactly("a");
    }

    @Test
    void nobodyLooksAfterItIsClosed() {
        watch.freeAfter("a", 60_000);
        watch.close();
        time.advance(Duration.ofMinutes(10));
        assertThat(looks).isEmpty();
    }
}
