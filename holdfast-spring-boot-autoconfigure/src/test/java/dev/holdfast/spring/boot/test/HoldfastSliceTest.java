package dev.holdfast.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.spring.Locked;
import dev.holdfast.spring.LockedContext;
import dev.holdfast.testing.LockControls;
import dev.holdfast.testing.ManualTime;
import java.time.Duration;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/** What a {@link HoldfastTest} has, and what it leaves out. */
@HoldfastTest
@Import(HoldfastSliceTest.Orders.class)
@TestPropertySource(properties = "holdfast.url=redis://127.0.0.1:1")
class HoldfastSliceTest {
    @Autowired
    ApplicationContext application;

    @Autowired
    Holdfast holdfast;

    @Autowired
    ManualTime time;

    @Autowired
    LockControls controls;

    @Autowired
    Orders orders;

    @Test
    void importedBeansAreLocked() {
        assertThat(orders.pay(
                        () -> LockedContext.current().orElseThrow().lease().name()))
                .isEqualTo("order");
    }

    @Test
    void theTestMovesTheClockAndTheStore() throws Exception {
        try (Lease lease =
                holdfast.lock("short").heldAtMost(Duration.ofSeconds(10)).acquire()) {
            time.advance(Duration.ofSeconds(9));
            assertThat(lease.isValid()).isTrue();
            time.advance(Duration.ofSeconds(2));
            assertThat(lease.isValid()).isFalse();
        }
        assertThatThrownBy(() -> orders.pay(() -> {
                    controls.lose("order");
                    return "lost";
                }))
                .isInstanceOf(LeaseLostException.class);
    }

    @Test
    void nothingElseIsThere() {
        assertThat(application.getBeanNamesForType(DataSource.class)).isEmpty();
        assertThat(application.getBeanNamesForType(ScannedComponent.class)).isEmpty();
    }

    @SpringBootApplication
    static class App {}

    static class Orders {
        @Locked(name = "order", maxWait = "0")
        public String pay(Supplier<String> body) {
            return body.get();
        }
    }
}
