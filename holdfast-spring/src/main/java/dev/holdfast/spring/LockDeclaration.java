package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** One {@link Locked} of a method, read and checked. */
record LockDeclaration(String name, @Nullable LockKey key, LockTerms terms, WhenBusy whenBusy) {
    /** The lock for one call. */
    LockRequest request(Holdfast holdfast, int position, Object target, Method method, @Nullable Object[] arguments) {
        String lockName = key == null ? name : name + ":" + key.of(target, method, arguments);
        return new LockRequest(terms.applyTo(holdfast.lock(lockName)), terms.maxWait(), position);
    }
}
