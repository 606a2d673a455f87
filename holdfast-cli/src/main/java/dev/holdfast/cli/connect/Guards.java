package dev.holdfast.cli.connect;

import dev.holdfast.GuardState;
import java.util.Optional;

/** The guards that stand beside the data at a URL. */
public interface Guards extends AutoCloseable {
    /** What the guard of a resource has seen. Empty: nobody has presented a token there. */
    Optional<GuardState> inspect(String resource);

    /** Moves a guard, if it is still as it was shown, and records who did it. */
    boolean move(String resource, GuardState shown, int toGeneration, String by);

    @Override
    void close();
}
