/**
 * Plays bad days: the real engine, the real backends and the shipped Lua over a network, clocks, processes and servers that
 * one seed decides. Start with {@link dev.holdfast.simulation.Simulate}.
 */
@NullMarked
package dev.holdfast.simulation;

import org.jspecify.annotations.NullMarked;
