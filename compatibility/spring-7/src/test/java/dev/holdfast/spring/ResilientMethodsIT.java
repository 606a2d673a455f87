package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Configuration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;

/** Spring 7's own retry. */
class ResilientMethodsIT {
    private static final List<Long> TOKENS = new CopyOnWriteArrayList<>();

    @Test
    void eachAttemptLocksAnew() {
        try (Application application = Application.of(Resilient.class, Service.class)) {
            application.bean(Service.class).failsTwice();
        }
        assertThat(TOKENS).hasSize(3).doesNotHaveDuplicates().isSorted();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Resilient {}

    static class Service {
        @Retryable(maxRetries = 3, delay = 1)
        @Locked("retried")
        public void failsTwice() {
            TOKENS.add(LockedContext.current().orElseThrow().token().value());
            if (TOKENS.size() < 3) {
                throw new IllegalStateException("attempt " + TOKENS.size());
            }
        }
    }
}
