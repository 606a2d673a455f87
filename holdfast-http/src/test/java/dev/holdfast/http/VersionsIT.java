package dev.holdfast.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;

/** The class path has what the build says it tests. Without this, a wrong dependency would test one version twice. */
class VersionsIT {
    @Test
    void springAndTheContainerAreTheOnesThatAreTested() throws Exception {
        assertThat(SpringVersion.getVersion()).isEqualTo(System.getProperty("holdfast.spring.version"));
        try (WebServer server =
                new WebServer(context -> assertThat(context.getMajorVersion() + "." + context.getMinorVersion())
                        .isEqualTo(System.getProperty("holdfast.servlet.version")))) {
            assertThat(server.send("GET", "/", "").statusCode()).isEqualTo(404);
        }
    }
}
