package dev.holdfast.dashboard;

import dev.holdfast.LockKey;
import dev.holdfast.LockKind;
import dev.holdfast.LockState;
import dev.holdfast.TenureHandle;
import org.jspecify.annotations.Nullable;

/**
 * What at most one can hold at a time: a lock, a slot of a semaphore, a read-write lock for writing. Readers hold side by side, so each has
 * a place of its own.
 */
record Place(LockKey key, int slot, @Nullable TenureHandle reader) {
    static Place of(LockState state) {
        return new Place(state.key(), state.slot(), state.shared() ? state.tenure() : null);
    }

    /**
     * Tells it from all others in the page. A lock is told by its name; the others begin with a mark that no name has.
     *
     * @param id stands for the tenure
     */
    String text(String id) {
        if (key.kind() == LockKind.LOCK) {
            return key.name();
        }
        return key.encoded() + '\u001f' + (reader == null ? Integer.toString(slot) : id);
    }
}
