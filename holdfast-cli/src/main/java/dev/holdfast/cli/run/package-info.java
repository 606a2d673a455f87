/**
 * Runs a command while holding a lock.
 *
 * <p>Read {@link dev.holdfast.cli.run.LockedRun} first. It takes the steps in order, the last three of them in {@code
 * CommandUnderLock}. {@link dev.holdfast.cli.run.LeadingRun} takes the same steps, and begins again after a loss:
 *
 * <ol>
 *   <li>{@code LockWait}: until the lock is ours, shows who holds it.
 *   <li>{@code Child}: the command and its descendants. It is started by a shell, to which {@code LauncherPipe} leads. {@code
 *       RunEnvironment} is what the command finds in its environment.
 *   <li>{@code ChildWatch}: until the command has ended, passes signals on and ends it if the lease ends, as {@code OnLoss}
 *       says.
 *   <li>{@code LockRelease}: gives the lock back, and finds out whether it was ours until then.
 * </ol>
 *
 * <p>One thread takes all these steps; {@link dev.holdfast.cli.events} says what wakes it.
 */
@NullMarked
package dev.holdfast.cli.run;

import org.jspecify.annotations.NullMarked;
