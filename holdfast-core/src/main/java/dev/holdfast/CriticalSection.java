package dev.holdfast;

import org.jspecify.annotations.Nullable;

/**
 * What runs while the lock is held, and returns something. See {@link CriticalAction} for what returns nothing.
 *
 * @param <T> what it returns; may be a nullable type
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CriticalSection<T extends @Nullable Object, X extends Exception> {
    /** Runs with a lease that was valid a moment ago; hand {@link Lease#token} to the resource. */
    T run(Lease lease) throws X;
}
