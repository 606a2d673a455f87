package dev.holdfast.proving.subject;

import java.util.OptionalLong;

/**
 * What a library answers when it is asked whether a lock is held.
 *
 * @param untilNanos until when without another renewal, by the monotonic clock, where the library says it
 */
public record Belief(boolean held, OptionalLong untilNanos) {
    public static final Belief HELD = new Belief(true, OptionalLong.empty());
    public static final Belief LOST = new Belief(false, OptionalLong.empty());

    public static Belief until(long nanos) {
        return new Belief(nanos - System.nanoTime() > 0, OptionalLong.of(nanos));
    }
}
