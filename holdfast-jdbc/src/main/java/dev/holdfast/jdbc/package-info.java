/**
 * Locks in a relational database. Start with {@link dev.holdfast.jdbc.JdbcBackend}; {@link dev.holdfast.jdbc.SqlFence} and
 * {@link dev.holdfast.jdbc.FencedTable} check tokens at a resource in a database.
 *
 * <p>For contributors: {@code JdbcBackend} turns each request of core into a step, has it run, and turns the result into an
 * answer. {@code Setup} is what it consists of from the beginning, {@code Components} what it consists of once a {@code Holdfast}
 * uses it: {@code Acquiring} asks for locks and computes for how long a grant is valid, {@code HeldLocks} renews and ends
 * them, {@code BackgroundTasks} serves queues and sweeps. {@code Preparation} finds out which database it is and creates tables; {@code
 * GuardTable} has what the two guards share. What is in the other packages is not exported:
 *
 * <ul>
 *   <li>{@code sql}: what a step does, in statements. Knows nothing of the others. Here a lock is granted, renewed and handed
 *       over ({@code ScriptedSteps}, {@code PostgreSqlSteps}).
 *   <li>{@code connection}: where and when a step runs, and what its failure proves ({@code StatementExecutor}, {@code
 *       Errors}).
 *   <li>{@code file}: databases that are a file, which somebody may delete or replace ({@code LockFile}).
 *   <li>{@code wakeup}: how a waiter is told that it is its turn ({@code Inbox}).
 * </ul>
 */
@NullMarked
package dev.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
