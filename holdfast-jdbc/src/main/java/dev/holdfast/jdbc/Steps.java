package dev.holdfast.jdbc;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Each method is one short transaction on the clock of the database. Autocommit is on before and after. */
interface Steps {
    /** How long the head of the queue may take to claim what was handed to it; its lease, if that is shorter. */
    long CLAIM_WINDOW_MICROS = 2_000_000;

    /** A waiter that has not asked for this long has no place in the queue any more. */
    long PATIENCE_MICROS = 15_000_000;

    /**
     * What an acquire found or left behind.
     *
     * @param late it was executed after its time, and changed nothing
     * @param row the lock after this step; null only if somebody else won a race: ask again
     * @param queued whether the claim has a place in the queue
     */
    record Sight(long nowMicros, boolean late, @Nullable Row row, boolean queued) {}

    /**
     * What a release found.
     *
     * @param released whether the tenure was live and is over now
     * @param lentMicros the claim window of the waiter that has the lock now; 0 if none does
     */
    record Vacancy(boolean released, long lentMicros) {}

    /**
     * Grants the lock if it is free and nobody waits for it; otherwise hands it to the head of the queue, and queues.
     *
     * @param notAfterMicros by the clock of the database: executed later than this, the step does nothing
     * @param inbox where to tell the claim that the lock was handed to it; empty if it will poll
     */
    Sight acquire(Connection connection, Claim claim, long notAfterMicros, String inbox) throws SQLException;

    /**
     * Takes this owner out of the queue; ends its tenure, or one that has expired; and hands the lock to the next waiter.
     *
     * @param token of the tenure; 0 stands for any
     */
    Vacancy vacate(Connection connection, String name, String owner, long token) throws SQLException;

    /** The same for a tenure that is believed to be live and unwanted, which some databases can end with less. */
    default Vacancy release(Connection connection, String name, String owner, long token) throws SQLException {
        return vacate(connection, name, owner, token);
    }

    /** Extends those that are still theirs, and answers with their owners. */
    Set<String> renew(Connection connection, List<Holding> holdings) throws SQLException;
}
