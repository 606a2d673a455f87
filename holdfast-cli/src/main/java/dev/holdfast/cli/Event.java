package dev.holdfast.cli;

import dev.holdfast.LockState;
import dev.holdfast.Loss;
import java.util.Optional;

/** What can happen to a run. All of it passes through one queue, so that one thread decides everything. */
sealed interface Event {
    /** The request for the lock was answered, one way or the other. */
    record Settled() implements Event {}

    /** Who holds the lock that we wait for. */
    record Seen(Optional<LockState> state) implements Event {}

    record Exited() implements Event {}

    record Lost(Loss loss) implements Event {}

    record Signalled(String name, int number) implements Event {}
}
