package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;

/** That the build tests with the Spring it names, here and in compatibility/. */
class SpringVersionTest {
    @Test
    void springIsTheOneThatTheBuildNames() {
        assertThat(SpringVersion.getVersion()).isEqualTo(System.getProperty("holdfast.spring.version"));
    }
}
