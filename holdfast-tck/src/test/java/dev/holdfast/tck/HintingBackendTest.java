package dev.holdfast.tck;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.Optional;

/** A store that keeps no queue, and tells everybody that a lock may be free. */
class HintingBackendTest extends LockBackendContract {
    private final InMemoryBackend store = new InMemoryBackend();
    private final Queueless.Hints hints = new Queueless.Hints();

    @Override
    protected LockBackend newClient() {
        return new Queueless(store.another(), hints);
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.empty();
    }

    @Override
    protected Duration lease() {
        return Duration.ofMillis(250);
    }
}
