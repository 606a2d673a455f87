package dev.holdfast.micrometer;

import dev.holdfast.Acquirable;
import dev.holdfast.CriticalAction;
import dev.holdfast.CriticalSection;
import dev.holdfast.LockTimeoutException;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.time.Duration;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs sections under a lock or a permit, with an observation around the wait and one around the section: a trace then shows how much of a
 * slow request was waiting. The lock's name is a key of high cardinality, which traces keep and meters leave out.
 *
 * <pre>{@code
 * LockObservations observed = LockObservations.of(observationRegistry);
 * observed.call(holdfast.lock("order:42"), Duration.ofSeconds(5), lease -> orders.pay(42, lease.token()));
 * }</pre>
 */
public final class LockObservations {
    static final String WAIT = "holdfast.wait";
    static final String SECTION = "holdfast.section";

    private final ObservationRegistry registry;
    private final LockTags lockTags;

    private LockObservations(ObservationRegistry registry, UnaryOperator<String> lockTag) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.lockTags = new LockTags(Objects.requireNonNull(lockTag, "lockTag"));
    }

    public static LockObservations of(ObservationRegistry registry) {
        return new LockObservations(registry, LockTags::beforeColon);
    }

    /** As {@link #of(ObservationRegistry)}, with the function that makes the tag {@code lock}: see {@link HoldfastMetrics}. */
    public static LockObservations of(ObservationRegistry registry, UnaryOperator<String> lockTag) {
        return new LockObservations(registry, lockTag);
    }

    /** As {@link Acquirable#call(Duration, CriticalSection)}. */
    public <T extends @Nullable Object, X extends Exception> T call(
            Acquirable<?> lock, Duration maxWait, CriticalSection<T, X> section) throws X, InterruptedException {
        Observation wait = observation(WAIT, lock).start();
        Observation.Scope scope = wait.openScope();
        // The scope is this thread's, and the section runs on it.
        boolean[] waited = new boolean[1];
        try {
            return lock.call(maxWait, lease -> {
                waited[0] = true;
                end(wait, scope, "acquired", null);
                return inside(lock, () -> section.run(lease));
            });
        } catch (Throwable e) {
            if (!waited[0]) {
                waited[0] = true;
                end(wait, scope, e instanceof LockTimeoutException ? "gave_up" : "failed", e);
            }
            throw e;
        }
    }

    /** As {@link Acquirable#run(Duration, CriticalAction)}. */
    public <X extends Exception> void run(Acquirable<?> lock, Duration maxWait, CriticalAction<X> action)
            throws X, InterruptedException {
        CriticalSection<Boolean, X> section = lease -> {
            action.run(lease);
            return true;
        };
        call(lock, maxWait, section);
    }

    private interface Body<T extends @Nullable Object, X extends Exception> {
        T run() throws X;
    }

    private <T extends @Nullable Object, X extends Exception> T inside(Acquirable<?> lock, Body<T, X> body) throws X {
        Observation section = observation(SECTION, lock).start();
        Observation.Scope scope = section.openScope();
        try {
            return body.run();
        } catch (Throwable e) {
            section.error(e);
            throw e;
        } finally {
            scope.close();
            section.stop();
        }
    }

    private Observation observation(String name, Acquirable<?> lock) {
        return Observation.createNotStarted(name, registry)
                .lowCardinalityKeyValue("lock", lockTags.of(lock.name()))
                .highCardinalityKeyValue("lock.name", lock.name());
    }

    private static void end(Observation wait, Observation.Scope scope, String outcome, @Nullable Throwable error) {
        wait.lowCardinalityKeyValue(KeyValue.of("outcome", outcome));
        if (error != null) {
            wait.error(error);
        }
        scope.close();
        wait.stop();
    }
}
