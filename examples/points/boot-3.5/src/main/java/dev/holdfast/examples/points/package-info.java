/**
 * Points for customers, in Redis and nowhere else. {@code PointsController} takes requests, {@code Points} adds. The same sources are
 * built and run on Spring Boot 3.5 and 4.0.
 */
@NullMarked
package dev.holdfast.examples.points;

import org.jspecify.annotations.NullMarked;
