package dev.holdfast.jdbc.connection;

import dev.holdfast.Finding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where connections come from, and go back to. */
public interface ConnectionSource {
    /**
     * May block for as long as the pool does.
     *
     * @throws StoreGoneException if the store was a file and is gone: nobody can find a lock there
     */
    Connection take() throws SQLException;

    /** As {@link #take}, but a store that is gone is made anew. */
    default Connection takeOrCreate() throws SQLException {
        return take();
    }

    void giveBack(Connection connection) throws SQLException;

    /**
     * After a step, before its answer counts.
     *
     * @throws StoreGoneException if the step was done in a store that nobody else finds any more
     */
    default void confirm(Connection connection) throws SQLException {}

    /** Whether the store is a file that somebody could delete or replace. */
    default boolean canBeReplaced() {
        return false;
    }

    /** Checks whether the store is still there. If not, runs what {@link #whenReplaced} was given. */
    default void look() {}

    /** What to do when another store has taken the place of the one in use. It must not block. */
    default void whenReplaced(Runnable action) {}

    /** Says what happened if the store was replaced since we began; null if not. */
    default @Nullable String replacement() {
        return null;
    }

    /** Dangers that the database itself does not report. */
    default List<Finding> findings() {
        return List.of();
    }

    /** No more connections are wanted. */
    default void close() {}
}
