package dev.holdfast.redis;

import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisBackendIT extends LockBackendContract {
    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded();

    @Override
    protected LockBackend newClient() {
        return new Clients().connect(redis.url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, redis.url()));
    }

    /** For the other process, too. */
    public static final class Clients implements ClientFactory {
        @Override
        public LockBackend connect(String url) {
            return Patient.backend(url);
        }
    }
}
