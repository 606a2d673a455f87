package dev.holdfast.jdbc.sql;

import dev.holdfast.spi.Claim;
import dev.holdfast.spi.Holding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Each method is one short transaction on the clock of the database. Autocommit is on before and after. */
public interface Steps {
    /** How long the head of the queue may take to claim what was handed to it; its lease, if that is shorter. */
    long CLAIM_WINDOW_MICROS = 2_000_000;

    /** A waiter that has not asked for this long has no place in the queue any more. */
    long PATIENCE_MICROS = 15_000_000;

    /** Tells waiters to ask; what it says is a hint. Must not block. */
    interface Notifier {
        /**
         * The lock of that name was handed to the waiter, or ends at another time than it was told.
         *
         * @param inbox as the waiter wrote it into the queue; empty if it cannot be told
         */
        void tell(String inbox, String name);
    }

    /**
     * What an acquire found or left behind.
     *
     * @param late it was executed after its time, and changed nothing
     * @param row the lock after this step; null only if somebody else won a race: ask again. If late, what is known of it
     * @param queued whether the claim has a place in the queue
     * @param ahead how many stand in front of it there; 0 where that is not known
     * @param slot of a share that was granted, as core counts; negative if none was
     */
    record AcquireResult(
            long nowMicros, boolean late, @Nullable Row row, boolean queued, int ahead, int slot) {
        private static final int NO_SLOT = -1;

        /** Of a claim that does not stand in the queue, or whose place is not asked for. */
        public AcquireResult(long nowMicros, boolean late, @Nullable Row row, boolean queued) {
            this(nowMicros, late, row, queued, 0);
        }

        public AcquireResult(long nowMicros, boolean late, @Nullable Row row, boolean queued, int ahead) {
            this(nowMicros, late, row, queued, ahead, NO_SLOT);
        }

        /** Of a claim that has this share. */
        static AcquireResult granted(long nowMicros, Share share) {
            return new AcquireResult(nowMicros, false, share.row(), false, 0, share.slot());
        }

        /** Whether the row is what the claim of that owner was granted. */
        public boolean isGrantedTo(String owner) {
            return row != null && (slot != NO_SLOT || row.isOf(owner));
        }
    }

    /**
     * What a release found.
     *
     * @param released whether the tenure was live, and nobody has it any more
     * @param takenMicros for how long the lock stays taken although nobody is there who would renew it, while others wait for
     *     it: the claim window of the waiter that was handed the lock, or what is left of a minimum; 0 if nobody waits
     * @param wentBack the counter is below the token that was to be released: the tables are older than it
     */
    record ReleaseResult(boolean released, long takenMicros, boolean wentBack) {
        public static final ReleaseResult NOT_FOUND = new ReleaseResult(false, 0);

        public ReleaseResult(boolean released, long takenMicros) {
            this(released, takenMicros, false);
        }
    }

    /**
     * Grants the lock if it is free and nobody waits for it; otherwise hands it to the head of the queue, and queues.
     *
     * @param notAfterMicros by the clock of the database: executed later than this, the step does nothing
     * @param inbox where to tell the claim that the lock was handed to it; empty if it will poll
     */
    AcquireResult acquire(Connection connection, Claim claim, long notAfterMicros, String inbox) throws SQLException;

    /**
     * Looks whether somebody else holds the lock, and changes nothing; null if that cannot be proven by looking. For claims
     * that could not be carried out because too many others were.
     */
    default @Nullable AcquireResult look(Connection connection, Claim claim) throws SQLException {
        return null;
    }

    /**
     * Takes this owner out of the queue; ends its tenure, or one that has expired; and hands the lock to the next waiter.
     *
     * @param token of the tenure; 0 stands for any
     */
    ReleaseResult vacate(Connection connection, String name, String owner, long token) throws SQLException;

    /** The same for a tenure that is believed to be live and unwanted, which some databases can end with less. */
    default ReleaseResult release(Connection connection, String name, String owner, long token) throws SQLException {
        return vacate(connection, name, owner, token);
    }

    /**
     * Leaves the lock taken for exactly that long from now, whatever is left of its lease, and tells the first waiter. The
     * others behind it need not know: they cannot be served before it.
     */
    ReleaseResult keep(Connection connection, String name, String owner, long token, long keepMicros)
            throws SQLException;

    /** Extends those that are still theirs, and answers with their owners. */
    Set<String> renew(Connection connection, List<Holding> holdings) throws SQLException;
}
