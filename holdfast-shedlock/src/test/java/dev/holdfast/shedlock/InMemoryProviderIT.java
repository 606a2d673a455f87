package dev.holdfast.shedlock;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;

class InMemoryProviderIT extends ProviderContract {
    private final InMemoryBackend store = new InMemoryBackend();

    @Override
    LockBackend newClient() {
        return store.another();
    }
}
