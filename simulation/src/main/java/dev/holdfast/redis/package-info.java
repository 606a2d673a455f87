/** The door through which the simulator enters: its classes see what is package-private in the Redis backend. */
@NullMarked
package dev.holdfast.redis;

import org.jspecify.annotations.NullMarked;
