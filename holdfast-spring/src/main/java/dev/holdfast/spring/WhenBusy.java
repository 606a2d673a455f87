package dev.holdfast.spring;

import dev.holdfast.LockTimeoutException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** What the caller gets instead of the method's result if a lock was busy. */
@FunctionalInterface
interface WhenBusy {
    @Nullable
    Object answer(LockTimeoutException busy, Object target, @Nullable Object[] arguments) throws Throwable;

    static WhenBusy throwing() {
        return (busy, target, arguments) -> {
            throw busy;
        };
    }

    static WhenBusy skipping(ResultKind result, Method method) {
        return (busy, target, arguments) -> result.empty(method);
    }

    static WhenBusy calling(Method fallback) {
        return (busy, target, arguments) -> {
            @Nullable
            Object[] passed = fallback.getParameterCount() > arguments.length
                    ? withTimeout(arguments, busy, Suspending.parameterCount(fallback) - 1)
                    : arguments;
            // Calls a suspending function as Spring does, so that it is a publisher here too.
            return AopUtils.invokeJoinpointUsingReflection(target, fallback, passed);
        };
    }

    private static @Nullable Object[] withTimeout(
            @Nullable Object[] arguments, LockTimeoutException busy, int position) {
        List<@Nullable Object> passed = new ArrayList<>(Arrays.asList(arguments));
        passed.add(position, busy);
        return passed.toArray();
    }
}
