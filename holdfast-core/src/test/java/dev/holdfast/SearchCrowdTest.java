package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.memory.InMemoryBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SearchCrowdTest {
    @Test
    void aCrowdOfWaitersIsRefusedAtOnceWhenTheHoldfastIsClosed() throws Exception {
        // Fifty thousand wait for one name, then the Holdfast is closed. It used to overflow the stack and tell nobody.
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        Holdfast holdfast = Holdfast.builder(new InMemoryBackend())
                .closeGrace(Duration.ZERO)
                .executor(Runnable::run)
                .build();
        holdfast.lock("a").acquire();
        for (int i = 0; i < 50_000; i++) {
            waiting.add(holdfast.lock("a").acquireAsync());
        }
        holdfast.close();
        for (CompletableFuture<Lease> each : waiting) {
            assertThat(each.handle((lease, failure) -> failure).get(10, TimeUnit.SECONDS))
                    .isInstanceOf(HoldfastClosedException.class);
        }
    }
}
