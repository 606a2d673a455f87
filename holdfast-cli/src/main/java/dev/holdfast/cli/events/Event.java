package dev.holdfast.cli.events;

import dev.holdfast.LockState;
import dev.holdfast.Loss;
import java.util.List;

/** What can happen to a run. All of it passes through one queue, so that one thread decides everything. */
public sealed interface Event {
    /** The store has answered: to the first connection or to the request for the lock. */
    record Answered() implements Event {}

    /** Who holds what we wait for; nobody if that is not known. */
    record HoldersSeen(List<LockState> states) implements Event {}

    record Exited() implements Event {}

    record Lost(Loss loss) implements Event {}

    record Signalled(String name, int number) implements Event {
        public boolean asksToStop() {
            return !name.equals("USR1");
        }
    }

    /** This signal came a moment ago. Now it is known whether the child got it as well. */
    record SignalToPassOn(String name) implements Event {}
}
