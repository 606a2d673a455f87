package dev.holdfast.proving.check;

import java.util.OptionalLong;

/**
 * A call that asked for the lock.
 *
 * @param waitNanos the limit that was given with the call
 * @param answeredAt empty if there was no answer
 * @param busy whether the answer was that somebody else has it
 */
public record Attempt(Section section, long beganAt, long waitNanos, OptionalLong answeredAt, boolean busy) {}
