package dev.holdfast.redis.quorum;

import dev.holdfast.redis.testing.Five;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedlockBackendIT extends LockBackendContract {
    @RegisterExtension
    static final Five five = Five.servers();

    @Override
    protected LockBackend newClient() {
        return new MinorityContract.Clients().connect(five.url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(MinorityContract.Clients.class, five.url()));
    }
}
