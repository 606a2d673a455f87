package dev.holdfast.tck;

import dev.holdfast.FencingToken;
import dev.holdfast.GuardState;
import dev.holdfast.StaleTokenException;

/** One number at a resource, read and written in the ways that {@link FenceContract} compares. */
public interface GuardedNumber {
    /** What the resource holds now; zero at first. */
    long read() throws Exception;

    /** Overwrites, whatever is there and whoever asks. */
    void overwrite(long value) throws Exception;

    /**
     * Makes this token the newest, if none newer was seen.
     *
     * @throws StaleTokenException if a newer one was seen
     */
    void announce(FencingToken token) throws Exception;

    /**
     * Makes this token of a reader known, if no newer one of a writer was seen.
     *
     * @throws StaleTokenException if a newer one of a writer was seen
     */
    void announceRead(FencingToken token) throws Exception;

    /**
     * Writes if this token is still the newest, in one atomic step.
     *
     * @throws StaleTokenException if a newer one was seen; nothing was written
     */
    void write(FencingToken token, long value) throws Exception;

    /** Optimistic locking: writes if nobody has written since {@code expected} was read. False: somebody has. */
    boolean writeIfUnchanged(long expected, long value) throws Exception;

    /** The same number, for tokens of that generation. What it returns is used only to announce and to write. */
    GuardedNumber withGeneration(int generation) throws Exception;

    /** What the guard has seen, and how it was moved. Asked only after a token was announced. */
    GuardState inspect() throws Exception;

    /** Moves the guard to that generation, if it is still as it was shown. False: it is not, and nothing changed. */
    boolean move(GuardState shown, int toGeneration, String by) throws Exception;
}
