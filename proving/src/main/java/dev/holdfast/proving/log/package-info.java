/**
 * What happened, line by line: {@code Event} is a line, {@code LogWriter} writes it so that it survives the death of its process,
 * {@code LogReader} reads the lines of all processes in the order of the machine's clock.
 */
@NullMarked
package dev.holdfast.proving.log;

import org.jspecify.annotations.NullMarked;
