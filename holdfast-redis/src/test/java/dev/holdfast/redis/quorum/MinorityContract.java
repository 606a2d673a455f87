package dev.holdfast.redis.quorum;

import dev.holdfast.redis.RedlockBackend;
import dev.holdfast.redis.testing.Fault;
import dev.holdfast.redis.testing.Five;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** All that a backend has to do, with two of five servers out of order from the start. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class MinorityContract extends LockBackendContract {
    private final Five five = Five.servers();
    private final Fault fault;

    MinorityContract(Fault fault) {
        this.fault = fault;
    }

    @BeforeAll
    void strike() {
        five.start();
        five.proxies();
        fault.strike(five, 1);
        fault.strike(five, 3);
    }

    @AfterAll
    void close() {
        five.close();
    }

    @Override
    protected LockBackend newClient() {
        return new Clients().connect(five.proxiedUrl());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, five.proxiedUrl()));
    }

    /** All three that are left are needed: each gets as long as a busy machine may take. */
    public static final class Clients implements ClientFactory {
        @Override
        public LockBackend connect(String url) {
            return RedlockBackend.builder(url)
                    .nodeTimeout(Duration.ofSeconds(5))
                    .connect();
        }
    }
}
