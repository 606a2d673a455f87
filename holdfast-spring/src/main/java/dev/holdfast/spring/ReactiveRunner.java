package dev.holdfast.spring;

import dev.holdfast.Lease;
import dev.holdfast.LockTimeoutException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The way of a call that returns a publisher: everything happens when somebody subscribes, anew for each subscription, and nothing
 * blocks. The locks are given back when the publisher completes, fails or is cancelled. Needs Reactor: nothing else refers to it.
 */
final class ReactiveRunner {
    private final LockedMethod method;
    private final Callable<List<LockRequest>> requests;
    private final LockRunner.Section<Throwable> body;
    private final ReactiveAdapter adapter;

    /** @param body called once for each subscription */
    ReactiveRunner(LockedMethod method, Callable<List<LockRequest>> requests, LockRunner.Section<Throwable> body) {
        this.method = method;
        this.requests = requests;
        this.body = body;
        this.adapter = adapter(method.method());
    }

    /** For what advice is shown as the method's result. */
    static ReactiveAdapter adapter(Method method) {
        Class<?> type = method.getReturnType();
        if (Suspending.is(method)) {
            type = Suspending.returnsFlow(method) ? Flux.class : Mono.class;
        }
        ReactiveAdapter found = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        if (found == null) {
            throw new IllegalStateException("No adapter for " + type.getName());
        }
        return found;
    }

    /** What the caller gets if a lock is busy. */
    @FunctionalInterface
    interface Instead {
        @Nullable
        Object of(BusyException busy) throws Throwable;
    }

    Object run(Instead instead) {
        if (adapter.isMultiValue()) {
            return adapter.fromPublisher(outsideTransactions()
                    .thenMany(Flux.defer(() -> many(called(requests), 0, new HeldLocks())))
                    .onErrorResume(BusyException.class, busy -> Flux.from(answer(instead, busy))));
        }
        return adapter.fromPublisher(outsideTransactions()
                .then(Mono.defer(() -> one(called(requests), 0, new HeldLocks())))
                .onErrorResume(BusyException.class, busy -> Mono.from(answer(instead, busy))));
    }

    private static List<LockRequest> called(Callable<List<LockRequest>> requests) {
        try {
            return requests.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private Publisher<Object> answer(Instead instead, BusyException busy) {
        try {
            return adapter.toPublisher(instead.of(busy));
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }

    /** One lock inside the other, so that they are given back in reverse however it ends. */
    private Mono<Object> one(List<LockRequest> inOrder, int next, HeldLocks held) {
        if (next == inOrder.size()) {
            return Mono.from(section(held)).doOnSuccess(value -> held.ensureNotLost());
        }
        return Mono.usingWhen(
                acquire(inOrder.get(next)),
                lock -> {
                    held.add(lock);
                    return one(inOrder, next + 1, held);
                },
                ReactiveRunner::leave,
                (lock, failure) -> leave(lock),
                ReactiveRunner::leave);
    }

    private Flux<Object> many(List<LockRequest> inOrder, int next, HeldLocks held) {
        if (next == inOrder.size()) {
            return Flux.from(section(held)).concatWith(Mono.fromRunnable(held::ensureNotLost));
        }
        return Flux.usingWhen(
                acquire(inOrder.get(next)),
                lock -> {
                    held.add(lock);
                    return many(inOrder, next + 1, held);
                },
                ReactiveRunner::leave,
                (lock, failure) -> leave(lock),
                ReactiveRunner::leave);
    }

    private Publisher<Object> section(HeldLocks held) {
        LockedContext context = LockedContext.enter(held);
        try {
            held.ensureValid();
            return adapter.toPublisher(body.run(context));
        } catch (Throwable e) {
            return Mono.error(e);
        } finally {
            context.exit();
        }
    }

    private static Mono<HeldLock> acquire(LockRequest request) {
        return Mono.defer(() -> {
            HeldLock joined = HeldLocks.joined(request);
            if (joined != null) {
                return Mono.just(joined);
            }
            return Mono.fromFuture(() -> request.lock().acquireAsync(request.maxWait()))
                    .onErrorMap(LockTimeoutException.class, e -> new BusyException(request.position(), e))
                    .map(HeldLock::new)
                    // A lease that comes after the subscriber has gone.
                    .doOnDiscard(Lease.class, lease -> {
                        var unused = lease.releaseAsync();
                    });
        });
    }

    private static Mono<Void> leave(HeldLock lock) {
        return Mono.fromFuture(lock::leaveAsync);
    }

    /** A reactive transaction of the caller commits later than this publisher completes, and cannot be awaited here. */
    private Mono<Void> outsideTransactions() {
        if (method.transaction() == CallersTransaction.IGNORE) {
            return Mono.empty();
        }
        return TransactionSynchronizationManager.forCurrentTransaction()
                .filter(TransactionSynchronizationManager::isActualTransactionActive)
                .onErrorComplete(NoTransactionException.class)
                .flatMap(open -> Mono.error(new IllegalTransactionStateException(
                        Problems.describe(method.method().getDeclaringClass(), method.method())
                                + " was called within a reactive transaction, which commits after its lock is given back."
                                + " Lock outside the transaction. Nothing was locked, and the method did not run.")));
    }
}
