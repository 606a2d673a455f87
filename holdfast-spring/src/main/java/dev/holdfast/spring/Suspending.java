package dev.holdfast.spring;

import java.lang.reflect.Method;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;

/**
 * Kotlin's suspending functions. To Java they return an Object and have a continuation as their last parameter; to advice Spring
 * shows them as a Mono, or as a Flux where they return a Flow.
 */
final class Suspending {
    /** Without it Spring hands the continuation through as it is, and nobody can tell when the function is done. */
    static final boolean ADAPTED =
            ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", Suspending.class.getClassLoader());

    private static final String FLOW = "kotlinx.coroutines.flow.Flow";

    private Suspending() {}

    static boolean is(Method method) {
        return KotlinDetector.isSuspendingFunction(method);
    }

    /** How many parameters the author has written. */
    static int parameterCount(Method method) {
        return method.getParameterCount() - (is(method) ? 1 : 0);
    }

    /** The type that the author has written, {@code void} for none. */
    static Class<?> returnType(Method method) {
        return is(method) ? new MethodParameter(method, -1).getParameterType() : method.getReturnType();
    }

    static boolean returnsFlow(Method method) {
        return returnType(method).getName().equals(FLOW);
    }

    /** Whether Kotlin takes it for granted that the result is not null. */
    static boolean promisesAResult(Method method) {
        return is(method)
                && returnType(method) != void.class
                && !returnsFlow(method)
                && !new MethodParameter(method, -1).isOptional();
    }
}
