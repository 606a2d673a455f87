package dev.holdfast.jdbc;

import dev.holdfast.jdbc.connection.ConnectionMarks;
import dev.holdfast.jdbc.connection.ConnectionSource;
import dev.holdfast.jdbc.connection.Errors;
import dev.holdfast.jdbc.file.FileBackedSource;
import dev.holdfast.jdbc.file.SqliteConnections;
import dev.holdfast.jdbc.file.StoreFile;
import dev.holdfast.jdbc.sql.Dialect;
import dev.holdfast.jdbc.sql.PollIntervals;
import dev.holdfast.jdbc.sql.Queries;
import dev.holdfast.jdbc.sql.Steps;
import dev.holdfast.jdbc.sql.TableVersion;
import dev.holdfast.jdbc.sql.Tables;
import dev.holdfast.jdbc.wakeup.WakeUpSocket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a backend consists of before it belongs to a {@code Holdfast}: its settings, and how it speaks to the database.
 *
 * @param listenSource where the connection comes from that listens, on PostgreSQL
 * @param listensElsewhere whether that is another DataSource
 * @param wakeUps tells waiters on the same machine; null where they are not all on one machine
 * @param marks null where connections have none
 */
record Setup(
        ConnectionSource source,
        ConnectionSource listenSource,
        boolean listensElsewhere,
        Dialect dialect,
        Steps steps,
        Queries queries,
        TableVersion version,
        Errors errors,
        Duration commandTimeout,
        PollIntervals poll,
        PollIntervals pollIfTold,
        @Nullable WakeUpSocket wakeUps,
        int connections,
        @Nullable ConnectionMarks marks) {
    /**
     * Does no I/O.
     *
     * @param plain as the user gave it, or opened by us
     * @param listen null if the listening connection comes from there, too
     * @param poll null for the defaults of the database
     */
    static Setup of(
            ConnectionSource plain,
            @Nullable ConnectionSource listen,
            Preparation.Result prepared,
            Tables tables,
            Duration commandTimeout,
            @Nullable PollIntervals poll,
            int connections) {
        Dialect dialect = prepared.dialect();
        StoreFile file = plain instanceof SqliteConnections ? null : StoreFile.of(dialect, tables);
        WakeUpSocket wakeUps = dialect.isOnOneMachine() ? new WakeUpSocket() : null;
        return new Setup(
                file == null ? plain : new FileBackedSource(plain, file),
                listen == null ? plain : listen,
                listen != null,
                dialect,
                dialect.steps(tables, commandTimeout, wakeUps == null ? (inbox, name) -> {} : wakeUps::tell),
                new Queries(dialect, tables),
                prepared.version(),
                new Errors(dialect, tables),
                commandTimeout,
                poll == null ? dialect.poll() : poll,
                poll == null ? dialect.pollIfTold() : poll,
                wakeUps,
                connections,
                dialect.sessionId().isEmpty() ? null : new ConnectionMarks(dialect.sessionId(), dialect));
    }
}
