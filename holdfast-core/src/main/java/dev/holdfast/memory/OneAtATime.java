package dev.holdfast.memory;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs operations one at a time. What an operation wants to tell clients is told after the lock is free. */
final class OneAtATime {
    // Guards the callbacks, and whatever the operations work on.
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<Runnable> callbacks = new ArrayDeque<>();

    <T extends @Nullable Object> T run(Supplier<T> operation) {
        T result;
        List<Runnable> afterwards = List.of();
        lock.lock();
        try {
            result = operation.get();
            if (!callbacks.isEmpty()) {
                afterwards = List.copyOf(callbacks);
                callbacks.clear();
            }
        } finally {
            lock.unlock();
        }
        afterwards.forEach(Runnable::run);
        return result;
    }

    /** Called by an operation: tells this client something, once the lock is free. */
    void tell(InMemoryBackend client, Runnable event) {
        callbacks.add(() -> client.push(event));
    }
}
