/**
 * Everything that is printed, and the exit codes.
 *
 * <p>Read {@link dev.holdfast.cli.output.Console} first: all output passes through it, also that of libraries. On the way
 * {@code MaskedStream} removes passwords, which {@code Passwords} knows, and {@code DisplayText} makes control characters
 * visible. {@code LockReport} describes held locks as a table, as lines or as {@code Json}; {@code Durations} reads and writes
 * durations. A {@code CliException} ends the command with an {@code ExitCode} and a message.
 */
@NullMarked
package dev.holdfast.cli.output;

import org.jspecify.annotations.NullMarked;
