package dev.holdfast.spring;

import dev.holdfast.FencingToken;
import dev.holdfast.Holdfast;
import dev.holdfast.Lease;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/** A method with what its annotations say, read once by {@link LockedMethods}. */
record LockedMethod(
        Method method,
        List<LockDeclaration> locks,
        CallersTransaction transaction,
        @Nullable FencedTransaction fence,
        ResultKind result) {

    /** The locks of one call, in the order in which to acquire them. */
    List<LockRequest> requests(Holdfast holdfast, Object target, @Nullable Object[] arguments) {
        List<LockRequest> wanted = new ArrayList<>(locks.size());
        for (int i = 0; i < locks.size(); i++) {
            wanted.add(locks.get(i).request(holdfast, i, target, method, arguments));
        }
        return LockRequest.inOrder(wanted);
    }

    /** Fills in what the caller left null. */
    @Nullable
    Object[] withLease(@Nullable Object[] arguments, LockedContext context) {
        @Nullable Object[] filled = arguments;
        Class<?>[] types = method.getParameterTypes();
        for (int i = 0; i < types.length; i++) {
            if (arguments[i] == null && isFilled(types[i])) {
                filled = filled == arguments ? arguments.clone() : filled;
                filled[i] = types[i] == Lease.class ? context.lease() : context.token();
            }
        }
        return filled;
    }

    static boolean isFilled(Class<?> type) {
        return type == Lease.class || type == FencingToken.class;
    }

    /** What a caller can be told who was interrupted while waiting. */
    Exception interrupted(InterruptedException e) {
        if (Arrays.stream(method.getExceptionTypes()).anyMatch(type -> type.isInstance(e))) {
            return e;
        }
        Thread.currentThread().interrupt();
        CancellationException unchecked = new CancellationException(
                Problems.describe(method.getDeclaringClass(), method)
                        + " was interrupted while it waited for its lock. Nothing is held, and the method did not run.");
        unchecked.initCause(e);
        return unchecked;
    }
}
