package dev.holdfast.spi;

import java.time.Duration;

/**
 * A tenure as the backend knows it: what to renew or to release.
 *
 * @param lastToken as granted. A backend compares it beside the owner, so that a renewal cannot touch another grant
 * @param lease what a renewal extends to
 */
public record Holding(String name, Owner owner, long lastToken, Duration lease) {}
