package dev.holdfast;

/**
 * What runs while the lock is held.
 *
 * @param <T> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CriticalSection<T, X extends Exception> {
    /** Runs with a lease that was valid a moment ago; hand {@link Lease#token} to the resource. */
    T run(Lease lease) throws X;
}
