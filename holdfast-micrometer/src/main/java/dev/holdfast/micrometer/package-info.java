/**
 * Locks in Micrometer. {@link dev.holdfast.micrometer.HoldfastMetrics} is a listener that turns what happens to locks into
 * timers and counters; {@link dev.holdfast.micrometer.LockObservations} runs a section with an observation around the wait and
 * one around the section, so that a trace shows both. Which tag a lock's name becomes is decided in {@code LockTags}.
 */
@NullMarked
package dev.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
