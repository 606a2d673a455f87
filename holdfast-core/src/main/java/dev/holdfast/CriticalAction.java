package dev.holdfast;

/**
 * What runs while the lock is held, and returns nothing. See {@link CriticalSection} for what returns something.
 *
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CriticalAction<X extends Exception> {
    /** Runs with a lease that was valid a moment ago; hand {@link Lease#token} to the resource. */
    void run(Lease lease) throws X;
}
