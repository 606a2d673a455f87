package dev.holdfast.spring.boot;

import static dev.holdfast.spring.boot.Applications.delete;
import static dev.holdfast.spring.boot.Applications.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.memory.InMemoryBackend;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What operators see of a whole application: locks, health, meters. */
class ActuatorTest {
    private static ConfigurableApplicationContext application;

    @BeforeAll
    static void start() {
        application = Applications.start(
                App.class,
                "management.endpoints.web.exposure.include=locks,health",
                "management.endpoint.health.show-details=always",
                "management.endpoint.health.probes.enabled=true",
                "management.endpoint.health.group.readiness.include=readinessState,holdfast",
                "holdfast.health.limit=300ms",
                "holdfast.unavailable-after=10m",
                "holdfast.close-grace=0s");
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private Holdfast holdfast() {
        return application.getBean(Holdfast.class);
    }

    private InMemoryBackend memory() {
        return application.getBean(InMemoryBackend.class);
    }

    @Test
    void locksAreListedAndShownWithoutTheSecretOfTheirOwner() throws Exception {
        try (Lease first = holdfast().lock("order:1").describedAs("nightly").acquire();
                Lease second = holdfast().lock("report/2026/11").acquire()) {
            HttpResponse<String> all = get(application, "/actuator/locks");
            assertThat(all.statusCode()).isEqualTo(200);
            assertThat(all.body())
                    .contains(
                            "\"order:1\"",
                            "\"report/2026/11\"",
                            "\"nightly\"",
                            "\"pid\":" + ProcessHandle.current().pid())
                    .doesNotContainIgnoringCase("owner")
                    .doesNotContainIgnoringCase("tenure");

            assertThat(get(application, "/actuator/locks?prefix=order").body())
                    .contains("order:1")
                    .doesNotContain("report");
            assertThat(get(application, "/actuator/locks?limit=1").body())
                    .contains("order:1")
                    .doesNotContain("report");
            assertThat(get(application, "/actuator/locks?limit=0").statusCode()).isEqualTo(400);
            assertThat(get(application, "/actuator/locks/report/2026/11").body())
                    .contains("\"lastToken\":\"", "\"report/2026/11\"");
            assertThat(get(application, "/actuator/locks/order:2").statusCode()).isEqualTo(404);
            assertThat(first.isValid() && second.isValid()).isTrue();
        }
    }

    @Test
    void aLockIsBrokenOnlyIfThatIsAllowed() throws Exception {
        try (Lease lease = holdfast().lock("job").acquire()) {
            int status = delete(
                            application,
                            "/actuator/locks/job?token=" + lease.token().value())
                    .statusCode();
            assertThat(status).isEqualTo(405);
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Test
    void whereItIsAllowedOnlyTheTenureThatWasSeenIsBroken() throws Exception {
        try (ConfigurableApplicationContext open = Applications.start(
                App.class,
                "management.endpoints.web.exposure.include=locks,health",
                "management.endpoint.locks.access=unrestricted",
                "management.health.holdfast.enabled=false",
                "holdfast.close-grace=0s")) {
            Holdfast holdfast = open.getBean(Holdfast.class);
            Lease lease = holdfast.lock("job").acquire();
            long token = lease.token().value();
            assertThat(delete(open, "/actuator/locks/job").statusCode()).isEqualTo(400);
            assertThat(delete(open, "/actuator/locks/job?token=" + (token + 1000))
                            .statusCode())
                    .isEqualTo(409);
            assertThat(holdfast.inspect("job")).isPresent();
            assertThat(delete(open, "/actuator/locks/job?token=" + token).body())
                    .contains("\"job\"");
            assertThat(holdfast.inspect("job")).isEmpty();
            assertThat(delete(open, "/actuator/locks/job?token=" + token).statusCode())
                    .isEqualTo(404);
            assertThat(get(open, "/actuator/health/holdfast").statusCode())
                    .as("health, which was switched off")
                    .isEqualTo(404);
        }
    }

    @Test
    void anOutageIsToldAsOne() throws Exception {
        memory().controls().disconnect();
        try {
            HttpResponse<String> answer = get(application, "/actuator/locks");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body()).contains("disconnected");
        } finally {
            memory().controls().reconnect();
        }
    }

    @Test
    void healthAsksTheStoreAndCanBePartOfReadiness() throws Exception {
        HttpResponse<String> up = get(application, "/actuator/health/holdfast");
        assertThat(up.statusCode()).isEqualTo(200);
        assertThat(up.body()).contains("UP", "roundTripMillis");
        assertThat(get(application, "/actuator/health/readiness").statusCode()).isEqualTo(200);
        memory().controls().disconnect();
        try {
            HttpResponse<String> down = get(application, "/actuator/health/holdfast");
            assertThat(down.statusCode()).isEqualTo(503);
            assertThat(down.body()).contains("DOWN", "disconnected");
            assertThat(get(application, "/actuator/health/readiness").statusCode())
                    .isEqualTo(503);
        } finally {
            memory().controls().reconnect();
        }
        assertThat(get(application, "/actuator/health/readiness").statusCode()).isEqualTo(200);
    }

    @Test
    void healthWaitsNoLongerThanItsLimit() throws Exception {
        memory().controls().pause();
        // The request itself has a limit of a minute: it fails if health waits for the store.
        try {
            HttpResponse<String> down = get(application, "/actuator/health/holdfast");
            assertThat(down.statusCode()).isEqualTo(503);
            assertThat(down.body()).contains("DOWN");
        } finally {
            memory().controls().resume();
        }
    }

    @Test
    void locksAreMeasured() throws Exception {
        MeterRegistry meters = application.getBean(MeterRegistry.class);
        try (Lease lease = holdfast().lock("invoice:1").acquire()) {
            assertThat(lease.isValid()).isTrue();
            assertThat(meters.get("holdfast.locks.held").gauge().value()).isEqualTo(1);
        }
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(meters.find("holdfast.lock.held")
                                .tags("lock", "invoice", "outcome", "released")
                                .timers())
                        .singleElement()
                        .satisfies(timer -> assertThat(timer.count()).isEqualTo(1)));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {
        @Bean
        InMemoryBackend memory() {
            return new InMemoryBackend();
        }
    }
}
