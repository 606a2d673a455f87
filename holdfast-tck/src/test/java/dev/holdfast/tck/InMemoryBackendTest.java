package dev.holdfast.tck;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;
import java.util.Optional;

class InMemoryBackendTest extends LockBackendContract {
    private final InMemoryBackend store = new InMemoryBackend();

    @Override
    protected LockBackend newClient() {
        return store.another();
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.empty();
    }
}
