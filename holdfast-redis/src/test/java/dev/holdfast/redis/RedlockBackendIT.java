package dev.holdfast.redis;

import dev.holdfast.redis.testing.Five;
import dev.holdfast.spi.LockBackend;
import dev.holdfast.tck.ClientFactory;
import dev.holdfast.tck.LockBackendContract;
import dev.holdfast.tck.OtherProcess;
import java.util.Optional;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedlockBackendIT extends LockBackendContract {
    @RegisterExtension
    static final Five five = Five.servers();

    @Override
    protected LockBackend newClient() {
        return new Clients().connect(five.url());
    }

    @Override
    protected Optional<OtherProcess> otherProcess() {
        return Optional.of(new OtherProcess(Clients.class, five.url()));
    }

    /** For the other process, too. */
    public static final class Clients implements ClientFactory {
        @Override
        public LockBackend connect(String url) {
            return RedlockBackend.connect(url);
        }
    }
}
