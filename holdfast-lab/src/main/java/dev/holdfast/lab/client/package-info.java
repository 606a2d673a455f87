/**
 * One of the three client processes: {@code ClientMain} reads orders, a {@code LaneWorker} for each lock carries them out, and
 * {@code Reports} says what happened. Nothing here knows a story.
 */
@NullMarked
package dev.holdfast.lab.client;

import org.jspecify.annotations.NullMarked;
