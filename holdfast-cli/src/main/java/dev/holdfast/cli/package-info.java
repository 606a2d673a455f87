/**
 * The command {@code holdfast}: its entry point and one class for each thing it can do.
 *
 * <p>Read {@link dev.holdfast.cli.Main} first. It parses the command line and calls one of the {@code …Command} classes that
 * {@link dev.holdfast.cli.Commands} lists. Each of them opens the store, does its work and says what came of it:
 *
 * <ul>
 *   <li>{@link dev.holdfast.cli.connect}: from a URL to an open store. Every command begins there.
 *   <li>{@link dev.holdfast.cli.run}: what {@code holdfast run} does with the lock and the command. Only {@code RunCommand}
 *       and {@code Main} use it.
 *   <li>{@link dev.holdfast.cli.output}: everything that is printed, and the exit codes.
 *   <li>{@link dev.holdfast.cli.events}: signals, and what else can happen while a command waits.
 *   <li>{@link dev.holdfast.cli.demo}: {@code holdfast demo}, and the Redis servers it starts.
 * </ul>
 *
 * <p>Before Java runs, the launcher ({@code src/main/launcher} and {@code src/main/libexec}) has started the shell that will
 * start the command of {@code holdfast run}. {@code libexec/command.sh} shows the processes and the pipes between them.
 */
@NullMarked
package dev.holdfast.cli;

import org.jspecify.annotations.NullMarked;
