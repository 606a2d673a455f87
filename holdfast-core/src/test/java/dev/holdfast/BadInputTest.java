package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each mistake has a message of its own. */
class BadInputTest {
    private final Holdfast holdfast = Holdfast.over(new InMemoryBackend());
    private final DistributedLock lock = holdfast.lock("a");

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void names() {
        refused(() -> holdfast.lock(""), "must not be empty");
        refused(() -> holdfast.lock("a\nb"), "control character (U+000A) at position 1");
        refused(() -> holdfast.lock("a\u0085b"), "control character (U+0085)");
        refused(() -> holdfast.lock("x".repeat(513)), "513 bytes of UTF-8, 512 are allowed");
        refused(() -> holdfast.lock("ü".repeat(257)), "514 bytes");
        refused(() -> holdfast.lock("half \ud83d"), "surrogate");
        assertThatThrownBy(() -> holdfast.lock(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("name");
        assertThatCode(() -> holdfast.lock("x".repeat(512))).doesNotThrowAnyException();
        assertThatCode(() -> holdfast.lock("{a} *?[b] \"c\" ü 🔒")).doesNotThrowAnyException();
    }

    @Test
    void waits() {
        refused(() -> lock.acquire(Duration.ofMillis(-1)), "maxWait must not be negative");
        refused(() -> lock.tryAcquire(ChronoUnit.FOREVER.getDuration()), "longer than a year");
        refused(() -> lock.acquireAsync(Duration.ofDays(366)), "use the method that takes none");
        assertThatThrownBy(() -> lock.acquire(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("maxWait");
    }

    @Test
    void leases() {
        refused(() -> lock.withLease(Duration.ZERO), "too short");
        refused(() -> lock.withLease(Duration.ofSeconds(-1)), "negative");
        refused(() -> lock.withLease(Duration.ofSeconds(61)), "longest accepted, 60.0 s");
        refused(() -> lock.withLease(ChronoUnit.FOREVER.getDuration()), "longer than a year");
        refused(() -> lock.heldAtMost(Duration.ZERO), "heldAtMost must be longer than zero");
        refused(
                () -> Holdfast.builder(new InMemoryBackend())
                        .lease(Duration.ofMinutes(2))
                        .build(),
                "maxLease");
    }

    @Test
    void descriptions() {
        refused(() -> lock.describedAs("x".repeat(201)), "at most 200");
        refused(() -> lock.describedAs("a\tb"), "control");
    }

    @Test
    void theBuilder() {
        refused(() -> Holdfast.builder(new InMemoryBackend()).cohort(0), "from 1 to 1000");
        assertThatThrownBy(() -> Holdfast.over(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("backend");
        InMemoryBackend taken = new InMemoryBackend();
        try (Holdfast first = Holdfast.over(taken)) {
            assertThat(first).isNotNull();
            assertThatThrownBy(() -> Holdfast.over(taken))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another()");
        }
    }

    @Test
    void tokens() {
        refused(() -> new FencingToken(0), "positive");
        refused(() -> new FencingToken(-1), "positive");
    }

    @Test
    void listing() {
        refused(() -> holdfast.list("", 0), "at least 1");
    }

    @Test
    void useAfterClose() throws Exception {
        Lease lease = lock.acquire();
        lease.close();
        holdfast.close();
        assertThatCode(holdfast::close).doesNotThrowAnyException();
        assertThatThrownBy(lock::acquire)
                .isInstanceOf(HoldfastClosedException.class)
                .hasMessageContaining("'a'");
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(HoldfastClosedException.class);
        assertThatThrownBy(() -> holdfast.inspect("a")).isInstanceOf(HoldfastClosedException.class);
        assertThatThrownBy(() -> holdfast.health(Duration.ofSeconds(1))).isInstanceOf(HoldfastClosedException.class);
        assertThatCode(lease::close).doesNotThrowAnyException();
    }

    private static void refused(ThrowingCallable call, String because) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(because);
    }
}
