package dev.holdfast.spring;

import java.util.List;
import java.util.Objects;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/** Runs an annotated method under its locks. Safe for use by many threads. */
final class LockedInterceptor implements MethodInterceptor {
    private final SingletonSupplier<LockedMethods> methods;
    private final SingletonSupplier<LockRunner> runner;

    LockedInterceptor(ObjectProvider<LockedMethods> methods, ObjectProvider<LockRunner> runner) {
        this.methods = SingletonSupplier.of(methods::getObject);
        this.runner = SingletonSupplier.of(runner::getObject);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = Objects.requireNonNull(invocation.getThis(), "A locked method needs an object");
        LockedMethod method = methods.obtain().of(invocation.getMethod(), AopUtils.getTargetClass(target));
        LockRunner locks = runner.obtain();
        if (method.result() == ResultKind.REACTIVE) {
            return reactive(invocation, target, method, locks);
        }
        List<LockRequest> wanted = method.requests(locks.holdfast(), target, invocation.getArguments());
        HeldLocks held;
        try {
            held = locks.acquire(wanted, method.transaction(), method.fence() != null);
        } catch (BusyException busy) {
            return answer(busy, method, target, invocation);
        } catch (InterruptedException e) {
            throw method.interrupted(e);
        }
        LockRunner.Section<Throwable> body = context -> proceed(invocation, method, context);
        return method.result() == ResultKind.STAGE ? locks.runStage(held, body) : locks.run(held, method.fence(), body);
    }

    /** A publisher may be subscribed to more than once, and an invocation proceeds once: each subscription has a copy. */
    private static Object reactive(MethodInvocation invocation, Object target, LockedMethod method, LockRunner locks) {
        return new ReactiveRunner(
                        method,
                        () -> method.requests(locks.holdfast(), target, invocation.getArguments()),
                        context -> proceed(((ProxyMethodInvocation) invocation).invocableClone(), method, context))
                .run(busy -> answer(busy, method, target, invocation));
    }

    private static @Nullable Object answer(
            BusyException busy, LockedMethod method, Object target, MethodInvocation invocation) throws Throwable {
        WhenBusy instead = method.locks().get(busy.position()).whenBusy();
        return instead.answer(busy.timeout(), target, invocation.getArguments());
    }

    private static @Nullable Object proceed(MethodInvocation invocation, LockedMethod method, LockedContext context)
            throws Throwable {
        Object[] arguments = invocation.getArguments();
        Object[] filled = method.withLease(arguments, context);
        if (filled != arguments) {
            ((ProxyMethodInvocation) invocation).setArguments(filled);
        }
        return invocation.proceed();
    }
}
