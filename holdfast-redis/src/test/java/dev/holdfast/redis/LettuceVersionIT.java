package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.Test;

class LettuceVersionIT {
    // The same tests run on several versions of the client; a mistake in the build would run them on one of them twice.
    @Test
    void theTestsRunOnTheVersionThatTheBuildNames() {
        String expected = System.getProperty("holdfast.lettuce.version");

        assertThat(RedisClient.class.getProtectionDomain().getCodeSource().getLocation())
                .asString()
                .endsWith("lettuce-core-" + expected + ".jar");
    }
}
