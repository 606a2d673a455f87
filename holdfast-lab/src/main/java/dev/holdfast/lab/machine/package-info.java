/**
 * The processes of the lab and what can be done to them: {@code RedisServer} and {@code ClientProcess}, frozen by {@code Signals},
 * cut off by a {@code Link}, with another time by {@code ClockShim}. {@code Keeper} ends them all, whatever becomes of the lab.
 */
@NullMarked
package dev.holdfast.lab.machine;

import org.jspecify.annotations.NullMarked;
