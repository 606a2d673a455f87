package dev.holdfast;

import java.time.Duration;

/**
 * What {@link Holdfast.Builder} collects.
 *
 * @param cohort K: how many leases in a row one tenure may serve inside this process
 * @param unavailableAfter how long an unreachable backend is retried where the caller gave no limit
 * @param closeGrace how long {@link Holdfast#close} waits for holders
 */
record Settings(int cohort, Duration maxLease, Duration unavailableAfter, Duration closeGrace) {}
