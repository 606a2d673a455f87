package dev.holdfast.cli;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.spi.NotSentException;
import dev.holdfast.spi.RefusedException;
import java.time.Duration;

/** A Holdfast for the length of one command. */
final class Sessions {
    private static final Duration USUAL_LEASE = Duration.ofSeconds(30);
    private static final Duration USUAL_LONGEST_LEASE = Duration.ofSeconds(60);

    private Sessions() {}

    /** What a command does with it. */
    @FunctionalInterface
    interface Work {
        int with(Holdfast holdfast) throws InterruptedException;
    }

    /** For commands that only look. */
    static int with(Store store, Work work) throws InterruptedException {
        return with(store, USUAL_LEASE, work);
    }

    /** Whatever goes wrong with the store is said together with where that store is. */
    static int with(Store store, Duration lease, Work work) throws InterruptedException {
        try (Holdfast holdfast = open(store, lease)) {
            return work.with(holdfast);
        } catch (HoldfastException | NotSentException | RefusedException e) {
            throw unavailable(store, e);
        }
    }

    static CliException unavailable(Store store, RuntimeException failure) {
        String why = store.explain(String.valueOf(failure.getMessage()));
        return new CliException(
                ExitCode.UNAVAILABLE, why + (why.endsWith(".") ? "" : ".") + " The store: " + store.label());
    }

    private static Holdfast open(Store store, Duration lease) {
        return Holdfast.builder(store.backend())
                // One lease per process: tokens reserved for more would only be skipped.
                .cohort(1)
                .lease(lease)
                .maxLease(lease.compareTo(USUAL_LONGEST_LEASE) > 0 ? lease : USUAL_LONGEST_LEASE)
                .closeGrace(Duration.ofSeconds(1))
                .build();
    }
}
