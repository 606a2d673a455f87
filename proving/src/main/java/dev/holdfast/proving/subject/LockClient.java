package dev.holdfast.proving.subject;

import java.time.Duration;
import java.util.Optional;

/** A library in a client process. For one thread at a time. */
public interface LockClient extends AutoCloseable {
    /**
     * Asks for the lock, and waits for it at most that long; zero asks once.
     *
     * @return empty if the library says that somebody else has it
     * @throws Exception if the library says that it cannot tell
     */
    Optional<HeldLock> acquire(String name, Duration maxWait) throws Exception;

    @Override
    void close();
}
