/** What a seed decides: {@code Schedule} lists the trials of a run, and each trial has a seed of its own. */
@NullMarked
package dev.holdfast.proving.schedule;

import org.jspecify.annotations.NullMarked;
