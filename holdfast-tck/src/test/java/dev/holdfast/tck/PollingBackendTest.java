package dev.holdfast.tck;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.Optional;

/** The other half of the kit's branches: a store that keeps no queue and wakes nobody. */
class PollingBackendTest extends LockBackendContract {
    private final InMemoryBackend store = new InMemoryBackend();

    @Override
    protected LockBackend newClient() {
        return new Queueless(store.another());
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
