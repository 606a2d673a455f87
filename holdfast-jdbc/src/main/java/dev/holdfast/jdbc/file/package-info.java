/**
 * Databases that are a file of this machine. Read {@link dev.holdfast.jdbc.file.LockFile} first: it says what the file's name
 * leads to. Two classes lend connections and check after each step that others find the same file: {@code
 * SqliteConnections} opens the file itself, {@code FileBackedSource} stands before a DataSource of the user's and asks a {@code
 * StoreFile} which file is behind a connection. {@code StoreIdentity} remembers the file in use and tells when it was replaced;
 * {@code LostStores} says what a step proves whose file is gone.
 */
@NullMarked
package dev.holdfast.jdbc.file;

import org.jspecify.annotations.NullMarked;
