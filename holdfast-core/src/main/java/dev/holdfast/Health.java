package dev.holdfast;

import java.time.Duration;

/**
 * Whether the backend answers right now.
 *
 * @param reachable whether the backend answered
 * @param roundTrip how long its answer took, or how long we waited for it
 * @param names how many locks this process holds or waits for
 * @param detail empty, or why it did not answer
 */
public record Health(boolean reachable, Duration roundTrip, int names, String detail) {}
