package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.spring.Locked;
import dev.holdfast.spring.LockedUsageException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is in the jars beside the beans. */
@ExtendWith(OutputCaptureExtension.class)
class StarterTest {
    @Test
    void theseTestsRunOnTheVersionTheyAreMeantFor() {
        assertThat(SpringBootVersion.getVersion())
                .isEqualTo(System.getProperty("holdfast.boot.version", SpringBootVersion.getVersion()));
    }

    @Test
    void theStarterForAnotherSpringBootSaysWhichOneIsRight() {
        StarterCheck.require("4.1.1", 4, "this", "that");
        assertThatThrownBy(() -> StarterCheck.require("3.5.16", 4, "this", "that"))
                .isInstanceOfSatisfying(HoldfastStartupException.class, e -> {
                    assertThat(e).hasMessageContaining("Spring Boot 3.5.16, and this is for Spring Boot 4");
                    assertThat(e.action()).contains("by dev.holdfast:that");
                });
    }

    @Test
    void aFailureIsPrintedWithWhatToDo(CapturedOutput output) {
        assertThatThrownBy(() -> Applications.start(
                                App.class, "holdfast.url=nothing://x", "spring.main.web-application-type=none")
                        .close())
                .hasRootCauseInstanceOf(HoldfastStartupException.class);
        assertThat(output.getAll())
                .contains("APPLICATION FAILED TO START", "holdfast.url does not begin as", "Use redis://host:6379");
    }

    @Test
    void methodsThatCannotBeLockedArePrintedWithWhatToDo(CapturedOutput output) {
        assertThatThrownBy(() -> Applications.start(
                                Wrong.class, "holdfast.backend=memory", "spring.main.web-application-type=none")
                        .close())
                .isInstanceOf(LockedUsageException.class);
        assertThat(output.getAll())
                .contains("APPLICATION FAILED TO START", "Jobs.run(): a final method", "Correct these methods")
                // No stack trace of this failure. What is captured is that of the whole process.
                .doesNotContain("SpringApplication.run(");
    }

    @Test
    void everyPropertyIsDescribed() throws Exception {
        String text = metadata();
        for (String name : List.of(
                "backend",
                "url",
                "client",
                "lease",
                "max-lease",
                "unavailable-after",
                "close-grace",
                "cohort",
                "description",
                "fence-generation",
                "redis.namespace",
                "redis.claim-window",
                "redis.command-timeout",
                "jdbc.initialize-schema",
                "jdbc.table-prefix",
                "jdbc.command-timeout",
                "jdbc.connections",
                "zookeeper.namespace",
                "zookeeper.tick-time",
                "zookeeper.sync-limit",
                "zookeeper.session-timeout",
                "health.limit")) {
            String entry = "\\{\\s*\"name\": \"holdfast\\." + Pattern.quote(name)
                    + "\",\\s*\"type\": \"[^\"]*\",\\s*\"description\": \"[^\"]{10}";
            assertThat(Pattern.compile(entry).matcher(text).find()).as(name).isTrue();
        }
    }

    /** Of ours: other jars have a file of that name. */
    private static String metadata() throws Exception {
        StringBuilder all = new StringBuilder();
        var found = StarterTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json");
        while (found.hasMoreElements()) {
            try (var in = found.nextElement().openStream()) {
                all.append(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        return all.toString();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Wrong {
        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class Jobs {
        @Locked("job")
        public final void run() {}
    }
}
