package dev.holdfast.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LockKey;
import dev.holdfast.LockListener;
import dev.holdfast.micrometer.LockObservations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What an application adds to the Holdfast that is configured for it. */
class ExtensionsTest {
    private final ApplicationContextRunner runner =
            Contexts.runner().withPropertyValues("holdfast.backend=memory", "holdfast.lease=20s");

    @Test
    void aCustomizerHasTheLastWord() {
        runner.withBean(HoldfastCustomizer.class, () -> builder -> builder.lease(Duration.ofSeconds(7)))
                .run(context -> {
                    try (Lease lease = context.getBean(Holdfast.class).lock("a").acquire()) {
                        assertThat(lease.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(7));
                    }
                });
    }

    @Test
    void allListenersHearOfLocks() {
        List<String> heard = new CopyOnWriteArrayList<>();
        runner.withBean("first", LockListener.class, () -> new Recorder("first", heard))
                .withBean("second", LockListener.class, () -> new Recorder("second", heard))
                .run(context -> {
                    context.getBean(Holdfast.class).lock("a").acquire().close();
                    Awaitility.await()
                            .atMost(Duration.ofSeconds(30))
                            .untilAsserted(() -> assertThat(heard).containsExactlyInAnyOrder("first a", "second a"));
                });
    }

    @Test
    void observationsGoToTheRegistryOfTheApplication() {
        List<String> observed = new CopyOnWriteArrayList<>();
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new Names(observed));
        runner.withConfiguration(AutoConfigurations.of(HoldfastMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withBean(ObservationRegistry.class, () -> registry)
                .run(context -> {
                    Holdfast holdfast = context.getBean(Holdfast.class);
                    context.getBean(LockObservations.class)
                            .run(holdfast.lock("order:1"), Duration.ofSeconds(10), lease -> {});
                    assertThat(observed).containsExactly("holdfast.wait", "holdfast.section");
                });
    }

    private record Recorder(String name, List<String> heard) implements LockListener {
        @Override
        public void acquired(LockKey lock, FencingToken token, Duration waited) {
            heard.add(name + " " + lock.name());
        }
    }

    private record Names(List<String> observed) implements ObservationHandler<Observation.Context> {
        @Override
        public void onStop(Observation.Context context) {
            observed.add(context.getName());
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }
}
