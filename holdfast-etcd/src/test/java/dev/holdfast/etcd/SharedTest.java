package dev.holdfast.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SharedTest {
    @Test
    void whatCannotBeMadeFailsForAllAndIsTriedAgain() {
        // A stream that could not be opened used to leave a future behind that nobody completed.
        Shared<String> shared = new Shared<>();
        CompletableFuture<String> failed = shared.get(self -> {
            throw new IllegalStateException("no thread for it");
        });
        assertThat(failed).isCompletedExceptionally();
        assertThat(shared.get(self -> CompletableFuture.completedFuture("made")).join())
                .isEqualTo("made");
    }

    @Test
    void whoComesWhileItIsMadeGetsTheSame() {
        Shared<String> shared = new Shared<>();
        CompletableFuture<String> underWay = new CompletableFuture<>();
        CompletableFuture<String> first = shared.get(self -> underWay);
        CompletableFuture<String> second = shared.get(self -> CompletableFuture.completedFuture("another"));
        List<String> seen = new ArrayList<>();
        shared.ifThere(seen::add);
        underWay.complete("one");
        assertThat(second.join()).isEqualTo("one");
        assertThat(seen).containsExactly("one");
        shared.clear(first);
        shared.clear(new CompletableFuture<>());
        shared.ifThere(seen::add);
        assertThat(seen).hasSize(1);
    }
}
