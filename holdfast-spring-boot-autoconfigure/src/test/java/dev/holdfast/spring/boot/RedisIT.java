package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.redis.testing.RedisServer;
import dev.holdfast.spring.Locked;
import dev.holdfast.spring.LockedContext;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A whole web application over a real Redis, through Boot's own connection factory. */
class RedisIT {
    @RegisterExtension
    static final RedisServer redis = RedisServer.embedded("--requirepass", "hunter2");

    private static ConfigurableApplicationContext start() {
        return Applications.start(
                Web.class,
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + redis.port(),
                "spring.data.redis.password=hunter2",
                "spring.data.redis.database=3",
                // So that a server which stands still for a while is not taken for one that is gone.
                "holdfast.redis.command-timeout=30s",
                "holdfast.redis.namespace=shop");
    }

    @Test
    void aRequestInFlightKeepsItsLockUntilItIsAnswered() throws Exception {
        ConfigurableApplicationContext application = start();
        CompletableFuture<HttpResponse<String>> answer = HttpClient.newHttpClient()
                .sendAsync(Applications.request(application, "/pay").build(), BodyHandlers.ofString());
        assertThat(application.getBean(Signals.class).entered.await(60, TimeUnit.SECONDS))
                .isTrue();
        // The request goes on only when the application is closing.
        CompletableFuture<Void> closed = CompletableFuture.runAsync(application::close);
        assertThat(answer.get(60, TimeUnit.SECONDS).body()).isEqualTo("order:42 valid");
        closed.get(60, TimeUnit.SECONDS);
        try (ConfigurableApplicationContext next = start()) {
            assertThat(next.getBean(Holdfast.class).inspect("order:42"))
                    .as("what is left of the lock")
                    .isEmpty();
        }
    }

    @Test
    void databasePasswordAndNamespaceAreThoseOfTheApplication() throws Exception {
        try (ConfigurableApplicationContext application = start();
                Holdfast other =
                        Holdfast.over(dev.holdfast.redis.RedisBackend.builder(redis.url("default", "hunter2") + "/3")
                                .namespace("shop")
                                .commandTimeout(Duration.ofSeconds(30))
                                .connect());
                Lease lease = application.getBean(Holdfast.class).lock("a").acquire()) {
            assertThat(other.inspect("a")).isPresent();
            assertThat(lease.isValid()).isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
            })
    static class Web {
        @Bean
        Signals signals() {
            return new Signals();
        }

        @Bean
        Controller controller(Signals signals) {
            return new Controller(signals);
        }
    }

    /** Stops after everything that stops first, and right before the web server begins to wait for its last requests. */
    static class Signals implements SmartLifecycle {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch closing = new CountDownLatch(1);
        private volatile boolean running;

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            closing.countDown();
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return DEFAULT_PHASE - 1000;
        }
    }

    @RestController
    static class Controller {
        private final Signals signals;

        Controller(Signals signals) {
            this.signals = signals;
        }

        @GetMapping("/pay")
        @Locked(name = "order", key = "'42'")
        public String pay() throws InterruptedException {
            signals.entered.countDown();
            if (!signals.closing.await(60, TimeUnit.SECONDS)) {
                return "not closing";
            }
            Lease lease = LockedContext.current().orElseThrow().lease();
            lease.ensureValid(Duration.ofSeconds(1));
            return lease.name() + " valid";
        }
    }
}
