/**
 * Locks in a relational database. Start with {@link dev.holdfast.jdbc.JdbcBackend}.
 */
@NullMarked
package dev.holdfast.jdbc;

import org.jspecify.annotations.NullMarked;
