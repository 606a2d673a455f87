/**
 * Where a step runs. Read {@link dev.holdfast.jdbc.connection.StatementExecutor} first: it takes a connection from a {@code
 * ConnectionSource}, prepares it ({@code BorrowedConnection}), runs the step, repeats it after a collision, and completes a
 * future. {@code StepRunner} runs it once. {@code Errors} says what an exception of the driver proves and turns it into one of
 * core's. Connections come from the user's pool ({@code DataSourceConnections}) or from a URL ({@code UrlConnections}); {@code
 * ConnectionMarks} tells those of two copies of a process apart.
 */
@NullMarked
package dev.holdfast.jdbc.connection;

import org.jspecify.annotations.NullMarked;
