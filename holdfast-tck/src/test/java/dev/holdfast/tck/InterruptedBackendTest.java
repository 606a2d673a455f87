package dev.holdfast.tck;

import dev.holdfast.memory.InMemoryBackend;
import dev.holdfast.spi.LockBackend;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Contact breaks again and again, and the store says so, as it has to. The kit waited for pushes that could not come any more and blamed the
 * store: etcd with two members left, on a machine whose disk was slow.
 */
class InterruptedBackendTest extends LockBackendContract {
    private final InMemoryBackend store = new InMemoryBackend();
    private final AtomicInteger pushes = new AtomicInteger();

    @Override
    protected LockBackend newClient() {
        return new Interrupted(store.another(), pushes);
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.empty();
    }
}
