package dev.holdfast;

/**
 * The resource's side of a fencing token: remembers the newest token it saw and refuses older ones. A token protects only
 * if the resource looks.
 *
 * <p>Call {@link #announce} before the first read: otherwise a stale write can still slip in between the new holder's
 * read and its write. Then make every write conditional on {@link #check}, in the same atomic step as the write.
 */
public interface Fence {
    /**
     * Makes this token the newest, if none newer was seen.
     *
     * @throws StaleTokenException if a newer one was seen; nothing changed
     */
    void announce(FencingToken token);

    /**
     * Refuses a token that is no longer the newest.
     *
     * @throws StaleTokenException if a newer one was seen
     */
    void check(FencingToken token);
}
