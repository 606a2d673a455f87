/**
 * From a URL to an open store.
 *
 * <p>Read {@link dev.holdfast.cli.connect.StoreSession} first: the commands call it with a {@link
 * dev.holdfast.cli.connect.Store} and the work to be done there. It lets {@link dev.holdfast.cli.connect.FirstConnection} wait
 * for the store, runs the work and closes.
 *
 * <ul>
 *   <li>{@code StoreOption} reads {@code --at} and {@code --at-file}; {@code StoreUrls} chooses the class for a URL and reads
 *       the variables; {@code UrlFile} reads a URL from a file.
 *   <li>{@code SqliteStore}, {@code JdbcStore}, {@code RedisStore}, {@code RedlockStore}, {@code ZooKeeperStore}, {@code
 *       EtcdStore}: one for each kind of store. {@code PrivateFiles} and {@code BlockedFile} belong to SQLite, {@code ConnectionPool} and {@code
 *       JdbcDrivers} to JDBC, {@code RedisTls} to both kinds of Redis.
 *   <li>{@code Guards}: the guards beside the data at a URL, in a database ({@code SqlGuards}) or at one Redis server ({@code
 *       RedisGuards}). Only {@code holdfast fence} uses them.
 *   <li>{@code ReleaseAnswer} hears whether a lock was still ours when it was released; {@code Operator} says who gave the
 *       command.
 * </ul>
 */
@NullMarked
package dev.holdfast.cli.connect;

import org.jspecify.annotations.NullMarked;
