package dev.holdfast.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.memory.InMemoryBackend;
import io.micrometer.observation.Observation;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LockObservationsTest {
    private static final Duration LONG = Duration.ofSeconds(20);

    private final InMemoryBackend backend = new InMemoryBackend();
    private final Holdfast holdfast =
            Holdfast.builder(backend).closeGrace(Duration.ZERO).build();
    private final TestObservationRegistry registry = TestObservationRegistry.create();
    private final LockObservations observed = LockObservations.of(registry);

    @AfterEach
    void close() {
        holdfast.close();
        assertThat(registry.getCurrentObservation()).isNull();
    }

    private TestObservationRegistryAssert seen() {
        return TestObservationRegistryAssert.assertThat(registry);
    }

    @Test
    void theWaitAndTheSectionAreObservedApart() throws Exception {
        String result = observed.call(holdfast.lock("order:1"), LONG, lease -> {
            Observation current = registry.getCurrentObservation();
            assertThat(current).isNotNull();
            assertThat(current.getContext().getName()).isEqualTo(LockObservations.SECTION);
            // The wait is over: what happens in here is no part of it.
            assertThat(current.getContext().getParentObservation()).isNull();
            return "done " + lease.token().value();
        });
        assertThat(result).startsWith("done ");
        seen().hasObservationWithNameEqualTo(LockObservations.WAIT)
                .that()
                .hasBeenStopped()
                .doesNotHaveError()
                .hasLowCardinalityKeyValue("lock", "order")
                .hasLowCardinalityKeyValue("outcome", "acquired")
                .hasHighCardinalityKeyValue("lock.name", "order:1");
        seen().hasObservationWithNameEqualTo(LockObservations.SECTION)
                .that()
                .hasBeenStopped()
                .doesNotHaveError();
    }

    @Test
    void permitsAreObservedToo() throws Exception {
        int slot = observed.call(holdfast.semaphore("order:1", 2), LONG, lease -> lease.slot());
        assertThat(slot).isZero();
        seen().hasObservationWithNameEqualTo(LockObservations.SECTION)
                .that()
                .hasBeenStopped()
                .hasHighCardinalityKeyValue("lock.name", "order:1");
    }

    @Test
    void bothStandUnderTheObservationOfTheCaller() throws Exception {
        Observation request = Observation.start("request", registry);
        try (Observation.Scope scope = request.openScope()) {
            assertThat(scope).isNotNull();
            observed.run(
                    holdfast.lock("order:1"),
                    LONG,
                    lease -> assertThat(registry.getCurrentObservation()
                                    .getContext()
                                    .getParentObservation())
                            .isSameAs(request));
            assertThat(registry.getCurrentObservation()).isSameAs(request);
        } finally {
            request.stop();
        }
    }

    @Test
    void aWaitThatWasInVainIsAnError() throws Exception {
        try (Holdfast rival = Holdfast.over(backend.another());
                var held = rival.lock("order:1").acquire()) {
            assertThat(held.isValid()).isTrue();
            assertThatThrownBy(() -> observed.run(holdfast.lock("order:1"), Duration.ofMillis(1), lease -> {}))
                    .isInstanceOf(LockTimeoutException.class);
        }
        seen().hasObservationWithNameEqualTo(LockObservations.WAIT)
                .that()
                .hasBeenStopped()
                .hasError()
                .hasLowCardinalityKeyValue("outcome", "gave_up");
        seen().hasNumberOfObservationsWithNameEqualTo(LockObservations.SECTION, 0);
    }

    @Test
    void whatTheSectionThrowsIsItsOwnErrorAndNotTheWaits() {
        assertThatThrownBy(() -> observed.run(holdfast.lock("order:1"), LONG, lease -> {
                    throw new IllegalStateException("no stock");
                }))
                .hasMessage("no stock");
        seen().hasObservationWithNameEqualTo(LockObservations.SECTION)
                .that()
                .hasBeenStopped()
                .hasError();
        seen().hasObservationWithNameEqualTo(LockObservations.WAIT).that().doesNotHaveError();
    }
}
