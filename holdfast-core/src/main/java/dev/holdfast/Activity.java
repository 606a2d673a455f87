package dev.holdfast;

/**
 * How much goes through one {@link Holdfast} at a moment.
 *
 * @param held how many leases are open
 * @param waiting how many callers wait for one
 */
public record Activity(int held, int waiting) {}
