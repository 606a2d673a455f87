package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockUnavailableException;
import dev.holdfast.redis.testing.Patient;
import dev.holdfast.redis.testing.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Grants that wait for the disk: they do from Redis 7.2 on, and an older server is refused. Whichever this one is. */
@Timeout(300)
class WaitForDiskIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    static final RedisServer durable = RedisServer.durable();

    @RegisterExtension
    static final RedisServer forgetful = RedisServer.embedded();

    private static String waiting(RedisServer server) {
        return server.url() + "?waitForDisk=0&waitMillis=10000";
    }

    private static boolean knowsWaitAof() {
        return !String.valueOf(durable.call("COMMAND", "INFO", "WAITAOF")).equals("[null]");
    }

    @Test
    void aGrantIsOnTheDiskOrTheServerIsRefused() throws Exception {
        if (!knowsWaitAof()) {
            assertThatThrownBy(() -> Patient.backend(waiting(durable)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("needs 7.2 (WAITAOF)");
            return;
        }
        try (Holdfast holdfast = Holdfast.over(Patient.backend(waiting(durable)))) {
            durable.resetCounts();
            try (Lease lease = holdfast.lock("on-disk").acquire(PATIENCE)) {
                assertThat(durable.calls("waitaof")).isEqualTo(1);
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    @Test
    void aServerWithoutAFileGrantsNothing() {
        // It keeps no append-only file, so there is nothing to wait for: an error that says so, never a grant.
        assertThatThrownBy(() -> {
                    try (Holdfast holdfast = Holdfast.over(Patient.backend(waiting(forgetful)))) {
                        holdfast.lock("nowhere").tryAcquire();
                    }
                })
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining(knowsWaitAof() ? "appendonly" : "needs 7.2 (WAITAOF)");
        assertThat(forgetful.text("KEYS", "*:lock:nowhere")).isEqualTo("[]");
    }
}
