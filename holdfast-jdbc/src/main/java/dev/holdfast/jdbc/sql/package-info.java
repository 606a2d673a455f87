/**
 * What a step does, in statements. Read {@link dev.holdfast.jdbc.sql.Steps} first: each of its methods is one transaction.
 * {@code ScriptedSteps} carries them out for MariaDB, H2 and SQLite, with {@code QueuePlaces} for claims that only wait,
 * {@code BucketTransactions} and {@code LockRows};
 * {@code PostgreSqlSteps} does with the files in this package's resources. Those are locks; {@code SharedSteps} does the same for
 * semaphores and read-write locks on every database: {@code ShareLook} is what it sees, {@code ShareRules} says who may have
 * what, {@code ShareChanges} collects what it writes, {@code ScriptedShares} and {@code PostgreSqlShares} carry it out. {@link dev.holdfast.jdbc.sql.Dialect} is what
 * one database says differently: {@code PostgreSql}, {@code MariaDb}, {@code H2}, {@code Sqlite}. {@code Row}, {@code Share} and {@code Notes} are what stands in the tables, {@code TableVersion} says
 * whether they are ours to use. {@code Queries} reads, for people; {@code PollIntervals} says when a waiter asks again.
 */
@NullMarked
package dev.holdfast.jdbc.sql;

import org.jspecify.annotations.NullMarked;
