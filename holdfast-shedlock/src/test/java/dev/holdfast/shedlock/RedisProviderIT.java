package dev.holdfast.shedlock;

import dev.holdfast.redis.RedisBackend;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.extension.RegisterExtension;

class RedisProviderIT extends ProviderContract {
    @RegisterExtension
    static final RedisServer SERVER = RedisServer.embedded();

    private final String namespace = UUID.randomUUID().toString();

    @Override
    LockBackend newClient() {
        return RedisBackend.builder(SERVER.url())
                .namespace(namespace)
                .commandTimeout(Duration.ofSeconds(20))
                .connect();
    }
}
