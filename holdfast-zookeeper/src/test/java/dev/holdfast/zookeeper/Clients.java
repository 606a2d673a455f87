package dev.holdfast.zookeeper;

import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.ClientFactory;
import java.time.Duration;

/** Clients of the servers under test. */
public final class Clients implements ClientFactory {
    /** For processes that get killed: somebody waits for the end of the session. */
    static final Duration BRIEF = Duration.ofSeconds(4);

    static final Duration LONG = Duration.ofSeconds(50);

    @Override
    public LockBackend connect(String address) {
        return of(address, BRIEF).connect();
    }

    static ZooKeeperBackend.Builder of(String address, Duration session) {
        return ZooKeeperBackend.builder(address)
                .tickTime(Duration.ofMillis(Server.TICK_MILLIS))
                .syncLimit(Server.SYNC_LIMIT)
                // Who asks once gets no second chance: on a busy machine a first connection takes seconds.
                .connectionTimeout(Duration.ofSeconds(20))
                .sessionTimeout(session);
    }
}
