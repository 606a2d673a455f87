package dev.holdfast.cli.connect;

import dev.holdfast.cli.output.CliException;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.spi.Failures;
import dev.holdfast.spi.LockBackend;
import java.time.Duration;

/** A place where locks are kept, known by its URL. */
public interface Store {
    /** The URL as it may be shown: without a password. */
    String label();

    /** Does no I/O yet where the backend can avoid it. */
    LockBackend backend();

    /** The longest lease that can be had here, as far as that is known before anybody is asked. */
    default Duration longestLease() {
        return Duration.ofDays(1);
    }

    /** What went wrong, with what to do about it from a shell. */
    default String explain(String why) {
        return why;
    }

    /** The same for a failure of the backend. */
    default String explain(Throwable failure) {
        return explain(Failures.describe(failure));
    }

    /** The guards of data that is kept here. */
    default Guards guards() {
        throw new CliException(
                ExitCode.USAGE,
                "Guards stand beside the data that they guard: in a database (jdbc:…, sqlite:PATH) or in Redis"
                        + " (redis://…, redis+sentinel://…, redis+cluster://…), not at " + label() + ".");
    }

    /** Makes the store ready for its first lock, and says what was done. Refuses where something is already there. */
    String initialise();
}
