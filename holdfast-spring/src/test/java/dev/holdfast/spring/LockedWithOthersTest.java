package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Lease;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.retry.annotation.Backoff;
import org.springframework.retry.annotation.RetryConfiguration;
import org.springframework.retry.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** {@link Locked} beside other annotations on the same method. */
@SuppressWarnings("try") // The rival only has to hold its lease.
class LockedWithOthersTest {
    private static final List<Long> TOKENS = new CopyOnWriteArrayList<>();

    @BeforeEach
    void clear() {
        TOKENS.clear();
    }

    @Test
    void anAsynchronousMethodWaitsForItsLockOnItsOwnThread() throws Exception {
        try (Application application = Application.of(Asynchronous.class, Service.class)) {
            Service service = application.bean(Service.class);
            CompletableFuture<String> result;
            try (Lease rival = application.taken("async")) {
                // Does not block this thread, although the lock is busy.
                result = service.async();
                assertThat(result).isNotDone();
            }
            assertThat(result.get(60, TimeUnit.SECONDS))
                    .isNotEqualTo(Thread.currentThread().getName());
            assertThat(application.isHeld("async")).isFalse();
        }
    }

    @Test
    void eachAttemptOfARetriedMethodLocksAnew() {
        try (Application application = Application.of(Retrying.class, Service.class)) {
            application.bean(Service.class).failsTwice();
            assertThat(TOKENS).hasSize(3).doesNotHaveDuplicates().isSorted();
        }
    }

    @Test
    void aScheduledMethodIsSkippedWhereAnotherProcessRunsIt() throws Exception {
        try (Application application = Application.of(Scheduling.class, Jobs.class)) {
            assertThat(Jobs.RAN.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(Jobs.TOKENS).allMatch(token -> token > 0);
            // Kept by atLeast: although the method has returned, the next runs find the lock busy and skip.
            assertThat(Jobs.TRIES.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(Jobs.TOKENS).hasSize(1);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Asynchronous {}

    @Configuration(proxyBeanMethods = false)
    static class Retrying {
        /** What {@code @EnableRetry(order = ...)} does, which needs AspectJ. Its default order is inside the lock. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static RetryConfiguration retry() {
            RetryConfiguration retry = new RetryConfiguration();
            retry.setOrder(EnableLocking.DEFAULT_ORDER - 1);
            return retry;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {}

    static class Service {
        @Async
        @Locked("async")
        public CompletableFuture<String> async() {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @Retryable(maxAttempts = 3, backoff = @Backoff(delay = 1))
        @Locked("retried")
        public void failsTwice() {
            TOKENS.add(LockedContext.current().orElseThrow().token().value());
            if (TOKENS.size() < 3) {
                throw new IllegalStateException("attempt " + TOKENS.size());
            }
        }
    }

    static class Jobs {
        static final CountDownLatch RAN = new CountDownLatch(1);
        static final CountDownLatch TRIES = new CountDownLatch(5);
        static final List<Long> TOKENS = new CopyOnWriteArrayList<>();

        @Scheduled(fixedDelay = 5, timeUnit = TimeUnit.MILLISECONDS)
        @Locked(name = "job", atLeast = "1h", busy = Busy.SKIP)
        public void run() {
            TOKENS.add(LockedContext.current().orElseThrow().token().value());
            RAN.countDown();
        }

        @Scheduled(fixedDelay = 5, timeUnit = TimeUnit.MILLISECONDS)
        public void count() {
            TRIES.countDown();
        }
    }
}
