package dev.holdfast.redis;

import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisSentinels;
import dev.holdfast.redis.testing.SentinelFailover;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.FailoverControl;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

class SentinelBackendIT extends LockBackendContract {
    @RegisterExtension
    static final RedisSentinels sentinels = RedisSentinels.trio();

    @Override
    protected LockBackend newClient() {
        return Patient.backend(sentinels.url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(RedisBackendIT.Clients.class, sentinels.url()));
    }

    @Override
    protected Optional<FailoverControl> failover() {
        return Optional.of(new SentinelFailover(sentinels));
    }
}
