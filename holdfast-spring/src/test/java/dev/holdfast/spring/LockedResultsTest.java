package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Lease;
import dev.holdfast.LeaseLostException;
import dev.holdfast.LockTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Results that are complete after the method has returned: the lock is held until then, and given back by whoever completes them. */
@SuppressWarnings("try") // The rival only has to hold its lease.
class LockedResultsTest {
    private static final Application APPLICATION = Application.of(Database.class, Advised.class, Service.class);
    private static final Duration LONG = Duration.ofSeconds(60);

    private static final AtomicInteger ADVISED = new AtomicInteger();

    private static volatile Lease lease;
    private static CompletableFuture<String> work;
    private static Sinks.Many<String> values;
    private static final List<Long> TOKENS = new CopyOnWriteArrayList<>();

    private final Service service = APPLICATION.bean(Service.class);

    @BeforeEach
    void clear() {
        work = new CompletableFuture<>();
        values = Sinks.many().unicast().onBackpressureBuffer();
        TOKENS.clear();
        ADVISED.set(0);
    }

    @AfterEach
    void everythingIsGivenBack() {
        Awaitility.await().atMost(LONG).until(() -> !isHeld());
    }

    @AfterAll
    static void close() {
        APPLICATION.close();
    }

    private static boolean isHeld() {
        return APPLICATION.isHeld("r") || APPLICATION.isHeld("second");
    }

    @Test
    void aStagesLockIsHeldUntilItIsComplete() throws Exception {
        CompletableFuture<String> result = service.future();
        assertThat(isHeld()).isTrue();
        AtomicReference<Boolean> heldWhenTold = new AtomicReference<>();
        CompletableFuture<Void> told = result.thenAccept(value -> heldWhenTold.set(isHeld()));
        work.complete("done");
        told.get(60, TimeUnit.SECONDS);
        assertThat(result).isCompletedWithValue("done");
        assertThat(heldWhenTold).hasValue(false);
    }

    @Test
    void aStageThatFailsGivesTheLockBack() {
        CompletionStage<String> result = service.stage();
        work.completeExceptionally(new IllegalArgumentException("no"));
        assertThatThrownBy(() -> result.toCompletableFuture().get(60, TimeUnit.SECONDS))
                .hasRootCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMethodThatFailsBeforeItReturnsAStageGivesTheLockBack() {
        assertThatThrownBy(service::throwsInsteadOfFuture).isInstanceOf(IllegalArgumentException.class);
        assertThat(isHeld()).isFalse();
        assertThat(service.nullInsteadOfFuture()).isNull();
    }

    @Test
    void cancellingTheResultCancelsTheWorkAndThenGivesTheLockBack() {
        service.future().cancel(true);
        Awaitility.await().atMost(LONG).until(() -> work.isCancelled());
    }

    @Test
    void aStageWhoseLeaseWasLostFails() {
        CompletableFuture<String> result = service.future();
        APPLICATION.lose(lease);
        work.complete("done");
        assertThatThrownBy(() -> result.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(LeaseLostException.class);
    }

    @Test
    void aSkippedStageIsComplete() throws Exception {
        try (Lease rival = APPLICATION.taken("r")) {
            assertThat(service.skippedFuture()).isCompletedWithValue(null);
        }
    }

    @Test
    void withinACallersTransactionBothMustBeOver() {
        TransactionTemplate transactions = APPLICATION.bean(TransactionTemplate.class);
        CompletableFuture<String> early = transactions.execute(transaction -> {
            CompletableFuture<String> result = service.future();
            work.complete("done");
            assertThat(isHeld()).as("complete, and the transaction is not").isTrue();
            return result;
        });
        assertThat(early).succeedsWithin(LONG);
        assertThat(isHeld()).isFalse();
        work = new CompletableFuture<>();
        transactions.executeWithoutResult(transaction -> service.future());
        assertThat(isHeld())
                .as("the transaction is over, and the result is not complete")
                .isTrue();
        work.complete("done");
    }

    @Test
    void aMonoLocksWhenItIsSubscribedToAndEachTimeAnew() {
        Mono<String> mono = service.mono();
        assertThat(isHeld()).isFalse();
        work.complete("done");
        assertThat(mono.doOnNext(value -> assertThat(isHeld()).isFalse()).block(LONG))
                .isEqualTo("done");
        assertThat(mono.block(LONG)).isEqualTo("done");
        assertThat(TOKENS).hasSize(2).doesNotHaveDuplicates();
        assertThat(ADVISED).as("advice inside the lock").hasValue(2);
    }

    @Test
    void aMonosLocksAreHeldUntilItIsComplete() {
        CompletableFuture<String> result = service.mono().toFuture();
        Awaitility.await().atMost(LONG).until(() -> APPLICATION.isHeld("r") && APPLICATION.isHeld("second"));
        work.complete("done");
        assertThat(result).succeedsWithin(LONG);
    }

    @Test
    void aFluxsLockIsHeldUntilItIsComplete() {
        CompletableFuture<List<String>> result = service.flux().collectList().toFuture();
        values.tryEmitNext("a");
        Awaitility.await().atMost(LONG).until(LockedResultsTest::isHeld);
        values.tryEmitNext("b");
        values.tryEmitComplete();
        assertThat(result).succeedsWithin(LONG).isEqualTo(List.of("a", "b"));
    }

    @Test
    void aPublisherThatFailsOrIsCancelledGivesItsLocksBack() {
        work.completeExceptionally(new IllegalArgumentException("no"));
        assertThatThrownBy(() -> service.mono().block(LONG)).isInstanceOf(IllegalArgumentException.class);
        Awaitility.await().atMost(LONG).until(() -> !isHeld());
        Disposable subscription = service.flux().subscribe();
        Awaitility.await().atMost(LONG).until(LockedResultsTest::isHeld);
        subscription.dispose();
    }

    @Test
    void aPublisherThatIsCancelledWhileItWaitsWithdraws() throws Exception {
        try (Lease rival = APPLICATION.taken("r")) {
            service.flux().subscribe().dispose();
        }
        // The rival's lease goes to nobody: everythingIsGivenBack.
    }

    @Test
    void aBusyLockIsAnErrorOrSkippedOrAnsweredByTheFallback() throws Exception {
        try (Lease rival = APPLICATION.taken("r")) {
            assertThatThrownBy(() -> service.mono().block(LONG)).isInstanceOf(LockTimeoutException.class);
            assertThat(service.skippedMono().blockOptional(LONG)).isEmpty();
            assertThat(service.skippedFlux().collectList().block(LONG)).isEmpty();
            assertThat(service.monoWithFallback().block(LONG)).isEqualTo("instead");
        }
    }

    @Test
    void aPublisherWhoseLeaseWasLostFails() {
        CompletableFuture<String> mono = service.mono().toFuture();
        Awaitility.await().atMost(LONG).until(() -> !TOKENS.isEmpty());
        APPLICATION.lose(lease);
        work.complete("done");
        assertThat(mono).failsWithin(LONG).withThrowableThat().havingCause().isInstanceOf(LeaseLostException.class);
    }

    @Test
    void withinAReactiveTransactionAPublisherIsRefused() {
        work.complete("done");
        TransactionalOperator operator = TransactionalOperator.create(new NoDatabase());
        assertThatThrownBy(() -> operator.transactional(service.mono()).block(LONG))
                .isInstanceOf(IllegalTransactionStateException.class);
        assertThat(TOKENS).isEmpty();
        assertThat(operator.transactional(service.ignoringMono()).block(LONG)).isEqualTo("done");
    }

    /** Another advice on the same methods, inside the lock. */
    @Configuration(proxyBeanMethods = false)
    static class Advised {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor counting() {
            NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
            pointcut.setMappedName("mono");
            return new DefaultPointcutAdvisor(pointcut, (MethodInterceptor) invocation -> {
                ADVISED.incrementAndGet();
                return invocation.proceed();
            });
        }
    }

    static class Service {
        @Locked("r")
        public CompletableFuture<String> future() {
            lease = LockedContext.current().orElseThrow().lease();
            return work;
        }

        @Locked("r")
        public CompletionStage<String> stage() {
            return work;
        }

        @Locked("r")
        public CompletableFuture<String> throwsInsteadOfFuture() {
            throw new IllegalArgumentException("no");
        }

        @Locked("r")
        public CompletableFuture<String> nullInsteadOfFuture() {
            return null;
        }

        @Locked(name = "r", busy = Busy.SKIP)
        public CompletableFuture<String> skippedFuture() {
            return work;
        }

        @Locked(name = "r", maxWait = "200ms")
        @Locked("second")
        public Mono<String> mono() {
            lease = LockedContext.current().orElseThrow().lease("r");
            TOKENS.add(lease.token().value());
            return Mono.fromFuture(work);
        }

        @Locked("r")
        public Flux<String> flux() {
            return values.asFlux();
        }

        @Locked(name = "r", busy = Busy.SKIP)
        public Mono<String> skippedMono() {
            return Mono.just("ran");
        }

        @Locked(name = "r", busy = Busy.SKIP)
        public Flux<String> skippedFlux() {
            return Flux.just("ran");
        }

        @Locked(name = "r", busy = Busy.FALLBACK, fallback = "instead")
        public Mono<String> monoWithFallback() {
            return Mono.just("ran");
        }

        Mono<String> instead() {
            return Mono.just("instead");
        }

        @Locked(name = "r", transaction = CallersTransaction.IGNORE)
        public Mono<String> ignoringMono() {
            return Mono.fromFuture(work);
        }
    }

    @SuppressWarnings("serial")
    private static final class NoDatabase extends AbstractReactiveTransactionManager {
        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager manager) {
            return this;
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager manager, Object transaction, TransactionDefinition definition) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.empty();
        }
    }
}
