package dev.holdfast.spring;

import java.lang.reflect.Method;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;

/** When the work of a method is done. */
enum ResultKind {
    /** When it returns. */
    DIRECT,
    /** When the stage that it returned is complete. */
    STAGE,
    /** When the publisher that it returned is complete, once for each subscription. */
    REACTIVE;

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ResultKind.class.getClassLoader());

    /** @throws IllegalArgumentException if that cannot be known */
    static ResultKind of(Method method) {
        Class<?> type = method.getReturnType();
        if (type == CompletionStage.class || type == CompletableFuture.class) {
            return STAGE;
        }
        if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException("nobody can tell when the result, a " + type.getSimpleName()
                    + ", is complete: declare CompletableFuture or CompletionStage");
        }
        if (Suspending.is(method)) {
            if (!REACTOR || !Suspending.ADAPTED) {
                throw new IllegalArgumentException("nobody can tell when a suspending function is done:"
                        + " kotlinx-coroutines-reactor is not on the class path");
            }
            requireOneEnd(method);
            return REACTIVE;
        }
        if (REACTOR && ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
            return REACTIVE;
        }
        if (Flow.Publisher.class.isAssignableFrom(type) || isPublisher(type)) {
            throw new IllegalArgumentException("nobody can tell when the result, a " + type.getSimpleName()
                    + ", is complete: reactor-core is not on the class path");
        }
        return DIRECT;
    }

    /** A suspending function that returns a publisher or a stage is done, and its result is not. */
    private static void requireOneEnd(Method method) {
        Class<?> type = Suspending.returnType(method);
        boolean later = Future.class.isAssignableFrom(type)
                || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
        if (later && !Suspending.returnsFlow(method)) {
            throw new IllegalArgumentException("nobody can tell when the result, a " + type.getSimpleName()
                    + " of a suspending function, is complete: await it in the function, or do not suspend");
        }
    }

    private static boolean isPublisher(Class<?> type) {
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .anyMatch(each -> each.getName().equals("org.reactivestreams.Publisher"));
    }

    /** What stands for no result of this method. */
    @Nullable
    Object empty(Method method) {
        return switch (this) {
            case DIRECT -> method.getReturnType() == Optional.class ? Optional.empty() : null;
            case STAGE -> CompletableFuture.completedFuture(null);
            case REACTIVE -> ReactiveRunner.adapter(method).getDescriptor().getEmptyValue();
        };
    }
}
