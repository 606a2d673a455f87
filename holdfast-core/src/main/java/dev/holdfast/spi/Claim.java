package dev.holdfast.spi;

import dev.holdfast.Holder;
import java.time.Duration;

/**
 * A request for a tenure.
 *
 * @param owner the id this tenure will have; a repeated claim with the same owner is the same claim
 * @param tokens how many fencing tokens the tenure wants to hand out (the cohort size of this receiver)
 * @param queue whether to wait in the backend's queue if busy; a backend without a queue ignores it
 */
public record Claim(String name, Owner owner, Duration lease, int tokens, boolean queue, Holder holder) {}
